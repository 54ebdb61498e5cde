#pragma once
// The border to libvpx. Its controls are variadic and its initialisers macros, neither of which Swift can call.
#include <stdint.h>
#include <string.h>
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
// Whether the last decoded frame was damaged; true too when the library doesn't know.
static inline int parley_vpx_is_corrupted(vpx_codec_ctx_t *context) {
  int corrupted = 0;
  if (vpx_codec_control_(context, VP8D_GET_FRAME_CORRUPTED, &corrupted) != VPX_CODEC_OK) return 1;
  return corrupted != 0;
}
// Encodes planes where they lie: libvpx copies them, with borders, into its own picture.
static inline vpx_codec_err_t parley_vpx_encode(
    vpx_codec_ctx_t *context, unsigned int width, unsigned int height, const uint8_t *y, int y_stride,
    const uint8_t *u, const uint8_t *v, int uv_stride, vpx_codec_pts_t time, unsigned long duration,
    vpx_enc_frame_flags_t flags) {
  vpx_image_t image;
  if (!vpx_img_wrap(&image, VPX_IMG_FMT_I420, width, height, 1, (unsigned char *)y)) return VPX_CODEC_INVALID_PARAM;
  image.planes[VPX_PLANE_Y] = (unsigned char *)y;
  image.planes[VPX_PLANE_U] = (unsigned char *)u;
  image.planes[VPX_PLANE_V] = (unsigned char *)v;
  image.stride[VPX_PLANE_Y] = y_stride;
  image.stride[VPX_PLANE_U] = uv_stride;
  image.stride[VPX_PLANE_V] = uv_stride;
  return vpx_codec_encode(context, &image, time, duration, flags, VPX_DL_REALTIME);
}
// One to three temporal layers whose rates add up to the target: 100, 60 + 40 or 40 + 20 + 40 per cent.
static inline void parley_vpx_set_temporal_layers(vpx_codec_enc_cfg_t *configuration, unsigned int layers) {
  static const unsigned int shares[3][3] = {{100, 0, 0}, {60, 100, 0}, {40, 60, 100}};
  static const unsigned int patterns[3][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 2, 1, 2}};
  if (layers < 1 || layers > 3) layers = 1;
  configuration->ts_number_layers = layers;
  configuration->ts_periodicity = 1u << (layers - 1);
  configuration->ss_number_layers = 1;
  configuration->ss_target_bitrate[0] = configuration->rc_target_bitrate;
  configuration->temporal_layering_mode =
      layers == 3 ? VP9E_TEMPORAL_LAYERING_MODE_0212
      : layers == 2 ? VP9E_TEMPORAL_LAYERING_MODE_0101
                    : VP9E_TEMPORAL_LAYERING_MODE_NOLAYERING;
  for (unsigned int i = 0; i < layers; i++) {
    unsigned int rate = configuration->rc_target_bitrate * shares[layers - 1][i] / 100;
    configuration->ts_rate_decimator[i] = 1u << (layers - 1 - i);
    configuration->ts_target_bitrate[i] = rate;
    configuration->layer_target_bitrate[i] = rate;
  }
  for (unsigned int i = 0; i < configuration->ts_periodicity; i++)
    configuration->ts_layer_id[i] = patterns[layers - 1][i];
}
// Puts VP9 into the mode that knows temporal layers, with one spatial layer of full size.
static inline vpx_codec_err_t parley_vp9_enable_layers(
    vpx_codec_ctx_t *context, const vpx_codec_enc_cfg_t *configuration, int speed) {
  vpx_svc_extra_cfg_t extra;
  memset(&extra, 0, sizeof extra);
  for (int i = 0; i < VPX_MAX_LAYERS; i++) {
    extra.max_quantizers[i] = (int)configuration->rc_max_quantizer;
    extra.min_quantizers[i] = (int)configuration->rc_min_quantizer;
    extra.speed_per_layer[i] = speed;
  }
  extra.scaling_factor_num[0] = 1;
  extra.scaling_factor_den[0] = 1;
  extra.temporal_layering_mode = configuration->temporal_layering_mode;
  vpx_codec_err_t result = vpx_codec_control_(context, VP9E_SET_SVC, 1);
  return result != VPX_CODEC_OK ? result : vpx_codec_control_(context, VP9E_SET_SVC_PARAMETERS, &extra);
}
// The temporal layer of the frame just encoded; 0 when there are none.
static inline int parley_vp9_temporal_layer(vpx_codec_ctx_t *context) {
  vpx_svc_layer_id_t layer;
  memset(&layer, 0, sizeof layer);
  if (vpx_codec_control_(context, VP9E_GET_SVC_LAYER_ID, &layer) != VPX_CODEC_OK) return 0;
  return layer.temporal_layer_id;
}
