#pragma once
// The border to dav1d.
#include <dav1d/dav1d.h>
