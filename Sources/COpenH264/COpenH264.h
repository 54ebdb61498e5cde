#pragma once
// The border to openh264.
#include <wels/codec_api.h>
