#pragma once
// The border to libwebsockets 4.1 (HTTP/1.1, HTTP/2, WebSocket, both ends).
#include <libwebsockets.h>
