#pragma once
// The border to openh264. Its encoder and decoder are tables of function pointers; these helpers spare the caller the
// double indirection and fill the arrays that Swift sees as tuples.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wels/codec_api.h>

static inline int parley_h264_encoder_open(
    ISVCEncoder **encoder, int width, int height, int bitrate, float frame_rate, bool screen, int temporal_layers) {
  *encoder = NULL;
  int result = WelsCreateSVCEncoder(encoder);
  if (result != 0 || *encoder == NULL) return result != 0 ? result : -1;
  ISVCEncoder *self = *encoder;
  int quiet = WELS_LOG_QUIET;
  (*self)->SetOption(self, ENCODER_OPTION_TRACE_LEVEL, &quiet);
  SEncParamExt parameters;
  result = (*self)->GetDefaultParams(self, &parameters);
  if (result == 0) {
    parameters.iUsageType = screen ? SCREEN_CONTENT_REAL_TIME : CAMERA_VIDEO_REAL_TIME;
    parameters.iPicWidth = width;
    parameters.iPicHeight = height;
    parameters.iTargetBitrate = bitrate;
    parameters.iMaxBitrate = UNSPECIFIED_BIT_RATE;
    parameters.iRCMode = RC_BITRATE_MODE;
    parameters.fMaxFrameRate = frame_rate;
    parameters.bEnableFrameSkip = true;
    parameters.uiIntraPeriod = 0;  // keyframes on request only
    parameters.uiMaxNalSize = 0;
    parameters.iEntropyCodingModeFlag = 0;  // baseline has no CABAC
    parameters.iMultipleThreadIdc = 1;      // one slice a picture leaves nothing to share
    parameters.eSpsPpsIdStrategy = CONSTANT_ID;
    parameters.bPrefixNalAddingCtrl = false;
    parameters.bEnableDenoise = false;
    // It would make keyframes that nobody asked for. The screen mode needs it.
    parameters.bEnableSceneChangeDetect = screen;
    parameters.bEnableLongTermReference = false;
    parameters.iSpatialLayerNum = 1;
    parameters.iTemporalLayerNum = temporal_layers;
    SSpatialLayerConfig *layer = &parameters.sSpatialLayers[0];
    layer->iVideoWidth = width;
    layer->iVideoHeight = height;
    layer->fFrameRate = frame_rate;
    layer->iSpatialBitrate = bitrate;
    layer->iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE;
    layer->uiProfileIdc = PRO_BASELINE;
    // Level 3.1 is what 42e01f promises; a larger picture needs the level it needs.
    bool fits = ((width + 15) / 16) * ((height + 15) / 16) <= 3600;
    layer->uiLevelIdc = fits ? LEVEL_3_1 : LEVEL_UNKNOWN;
    layer->sSliceArgument.uiSliceMode = SM_SINGLE_SLICE;
    layer->sSliceArgument.uiSliceNum = 1;
    result = (*self)->InitializeExt(self, &parameters);
  }
  if (result == 0) {
    int format = videoFormatI420;
    result = (*self)->SetOption(self, ENCODER_OPTION_DATAFORMAT, &format);
  }
  if (result != 0) {
    WelsDestroySVCEncoder(self);
    *encoder = NULL;
  }
  return result;
}
static inline void parley_h264_encoder_close(ISVCEncoder *encoder) {
  (*encoder)->Uninitialize(encoder);
  WelsDestroySVCEncoder(encoder);
}
static inline int parley_h264_encoder_set_bitrate(ISVCEncoder *encoder, int bitrate) {
  SBitrateInfo info;
  memset(&info, 0, sizeof info);
  info.iLayer = SPATIAL_LAYER_ALL;
  info.iBitrate = bitrate;
  return (*encoder)->SetOption(encoder, ENCODER_OPTION_BITRATE, &info);
}
static inline int parley_h264_encoder_set_frame_rate(ISVCEncoder *encoder, float frame_rate) {
  return (*encoder)->SetOption(encoder, ENCODER_OPTION_FRAME_RATE, &frame_rate);
}
static inline int parley_h264_encoder_set_frame_skip(ISVCEncoder *encoder, bool skip) {
  return (*encoder)->SetOption(encoder, ENCODER_OPTION_RC_FRAME_SKIP, &skip);
}
static inline int parley_h264_encoder_force_keyframe(ISVCEncoder *encoder) {
  return (*encoder)->ForceIntraFrame(encoder, true);
}
static inline int parley_h264_encode(
    ISVCEncoder *encoder, int width, int height, const uint8_t *y, int y_stride, const uint8_t *u, const uint8_t *v,
    int uv_stride, int64_t milliseconds, SFrameBSInfo *output) {
  SSourcePicture picture;
  memset(&picture, 0, sizeof picture);
  memset(output, 0, sizeof *output);
  picture.iColorFormat = videoFormatI420;
  picture.iPicWidth = width;
  picture.iPicHeight = height;
  picture.pData[0] = (unsigned char *)y;
  picture.pData[1] = (unsigned char *)u;
  picture.pData[2] = (unsigned char *)v;
  picture.iStride[0] = y_stride;
  picture.iStride[1] = uv_stride;
  picture.iStride[2] = uv_stride;
  picture.uiTimeStamp = milliseconds;
  return (*encoder)->EncodeFrame(encoder, &picture, output);
}
// The bytes of layer `index` of a frame: parameter sets and slices, each behind a start code.
static inline const uint8_t *parley_h264_layer(const SFrameBSInfo *frame, int index, int *size, int *temporal) {
  const SLayerBSInfo *layer = &frame->sLayerInfo[index];
  int sum = 0;
  for (int i = 0; i < layer->iNalCount; i++) sum += layer->pNalLengthInByte[i];
  *size = sum;
  *temporal = layer->uiTemporalId;
  return layer->pBsBuf;
}

static inline long parley_h264_decoder_open(ISVCDecoder **decoder) {
  *decoder = NULL;
  long result = WelsCreateDecoder(decoder);
  if (result != 0 || *decoder == NULL) return result != 0 ? result : -1;
  ISVCDecoder *self = *decoder;
  int quiet = WELS_LOG_QUIET;
  (*self)->SetOption(self, DECODER_OPTION_TRACE_LEVEL, &quiet);
  SDecodingParam parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.uiTargetDqLayer = UINT8_MAX;
  parameters.eEcActiveIdc = ERROR_CON_DISABLE;  // a damaged picture is an error, not a guess
  parameters.sVideoProperty.size = sizeof parameters.sVideoProperty;
  parameters.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
  result = (*self)->Initialize(self, &parameters);
  if (result != 0) {
    WelsDestroyDecoder(self);
    *decoder = NULL;
  }
  return result;
}
static inline void parley_h264_decoder_close(ISVCDecoder *decoder) {
  (*decoder)->Uninitialize(decoder);
  WelsDestroyDecoder(decoder);
}
typedef struct {
  const uint8_t *y, *u, *v;
  int y_stride, uv_stride, width, height;
  uint64_t time;
  bool has_picture;
} parley_h264_picture;
static inline int parley_h264_decode(
    ISVCDecoder *decoder, const uint8_t *data, int size, uint64_t time, parley_h264_picture *picture) {
  unsigned char *planes[3] = {NULL, NULL, NULL};
  SBufferInfo info;
  memset(&info, 0, sizeof info);
  memset(picture, 0, sizeof *picture);
  info.uiInBsTimeStamp = time;
  int state = (*decoder)->DecodeFrameNoDelay(decoder, data, size, planes, &info);
  if (info.iBufferStatus == 1 && planes[0] && planes[1] && planes[2]) {
    picture->y = planes[0];
    picture->u = planes[1];
    picture->v = planes[2];
    picture->y_stride = info.UsrData.sSystemBuffer.iStride[0];
    picture->uv_stride = info.UsrData.sSystemBuffer.iStride[1];
    picture->width = info.UsrData.sSystemBuffer.iWidth;
    picture->height = info.UsrData.sSystemBuffer.iHeight;
    picture->time = info.uiOutYuvTimeStamp;
    picture->has_picture = true;
  }
  return state;
}
