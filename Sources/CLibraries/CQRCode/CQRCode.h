#pragma once
// The border to libqrencode (QR codes on a terminal).
#include <qrencode.h>
