#pragma once
// The border to libopus. Its controls are variadic, which Swift cannot call.
#include <opus/opus.h>

static inline int parley_opus_encoder_set(OpusEncoder *encoder, int request, opus_int32 value) {
  return opus_encoder_ctl(encoder, request, value);
}
static inline int parley_opus_decoder_set(OpusDecoder *decoder, int request, opus_int32 value) {
  return opus_decoder_ctl(decoder, request, value);
}
static inline int parley_opus_encoder_reset(OpusEncoder *encoder) { return opus_encoder_ctl(encoder, OPUS_RESET_STATE); }
static inline int parley_opus_decoder_reset(OpusDecoder *decoder) { return opus_decoder_ctl(decoder, OPUS_RESET_STATE); }
