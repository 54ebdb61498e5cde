#pragma once
// The border to Cairo and Pango, for text and PNG files. They are loaded when first used and never linked. Only their stable C interface
// is used, declared in the .c file, so that no headers are needed to build.
#include <stdint.h>

/// Loads the libraries, once. Returns null when they are ready, else a sentence about what is missing.
const char *parley_drawing_load(void);

/// How much of each pixel a text covers.
typedef struct parley_text_mask {
  int32_t width, height, stride;
  uint8_t *bytes;
} parley_text_mask;

/// Sets one line of UTF-8 text, cut with an ellipsis at `maximum_width` pixels. `size` is in pixels, `bold` 0 or 1. The mask's bytes are
/// freed with parley_text_free; null when there is nothing to see.
parley_text_mask parley_text_draw(const char *text, double size, int bold, int maximum_width);
void parley_text_free(parley_text_mask *mask);

/// Writes a PNG file of 32-bit pixels (blue, green, red, unused) through `write`, which returns 0 when it took the bytes. Returns 0 or an
/// error of Cairo.
int parley_png_write(
  const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, void *context,
  int (*write)(void *context, const uint8_t *bytes, uint32_t count));
