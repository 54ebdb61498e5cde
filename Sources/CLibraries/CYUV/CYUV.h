#pragma once
// The border to libyuv: scaling, turning, conversion and comparison of pictures.
#include <libyuv/compare.h>
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from.h>
#include <libyuv/rotate.h>
#include <libyuv/scale.h>
