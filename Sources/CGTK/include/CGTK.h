#pragma once
// The border to GTK 4, Cairo and Pango for views. They are loaded when first used and never linked: views without a window run without
// GTK. Only their stable C interface is used, declared in the .c files, so that no headers are needed to build.
#include <stdint.h>

// MARK: pictures (Cairo)

/// Loads Cairo and Pango, once. Returns null when they are ready, else a sentence about what is missing.
const char *parley_canvas_load(void);

/// Writes a PNG file of pixels of blue, green, red and opacity, multiplied by the opacity, through `write`, which returns 0 when it took
/// the bytes. Returns 0 or an error of Cairo.
int parley_canvas_png_write(
  const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, void *context,
  int (*write)(void *context, const uint8_t *bytes, uint32_t count));

/// Reads a PNG file into such pixels, rows without gaps; freed with free. Null when the bytes are no PNG file, or the picture is larger
/// than 4096 pixels a side.
uint8_t *parley_canvas_png_read(const uint8_t *bytes, uint64_t count, int32_t *width, int32_t *height);
