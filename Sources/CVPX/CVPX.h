#pragma once
// The border to libvpx. Its controls are variadic and its initialisers macros, neither of which Swift can call.
#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

static inline vpx_codec_err_t parley_vpx_encoder_init(
    vpx_codec_ctx_t *context, vpx_codec_iface_t *interface, const vpx_codec_enc_cfg_t *configuration,
    vpx_codec_flags_t flags) {
  return vpx_codec_enc_init(context, interface, configuration, flags);
}
static inline vpx_codec_err_t parley_vpx_decoder_init(
    vpx_codec_ctx_t *context, vpx_codec_iface_t *interface, const vpx_codec_dec_cfg_t *configuration,
    vpx_codec_flags_t flags) {
  return vpx_codec_dec_init(context, interface, configuration, flags);
}
static inline vpx_codec_err_t parley_vpx_control(vpx_codec_ctx_t *context, int control, int value) {
  return vpx_codec_control_(context, control, value);
}
