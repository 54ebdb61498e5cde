#pragma once
// The border to dav1d.
#include <dav1d/dav1d.h>

// Error codes are negated errno values by a macro, which Swift cannot see.
static const int parley_dav1d_again = DAV1D_ERR(EAGAIN);
static inline void parley_dav1d_silence(Dav1dSettings *settings) { settings->logger.callback = 0; }
