#pragma once
// The border to cjose (JWS and JWK, RFC 7515 and 7517).
#include <cjose/cjose.h>
