#include <stdlib.h>
#include <string.h>

#include "CDrawing.h"
#include "Library.h"

struct png_writer {
  void *context;
  int (*write)(void *, const uint8_t *, uint32_t);
};

static int write_png(void *closure, const uint8_t *bytes, unsigned count) {
  struct png_writer *writer = closure;
  return writer->write(writer->context, bytes, count) == 0 ? 0 : STATUS_WRITE_ERROR;
}

int parley_png_write(
  const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, int translucent, void *context,
  int (*write)(void *context, const uint8_t *bytes, uint32_t count)) {
  void *surface = fn.cairo_image_surface_create_for_data(pixels, translucent ? FORMAT_ARGB32 : FORMAT_RGB24, width, height, stride);
  int status = fn.cairo_surface_status(surface);
  struct png_writer writer = {context, write};
  if (status == 0) status = fn.cairo_surface_write_to_png_stream(surface, write_png, &writer);
  fn.cairo_surface_destroy(surface);
  return status;
}

struct png_reader {
  const uint8_t *bytes;
  uint64_t left;
};

static int read_png(void *closure, uint8_t *out, unsigned count) {
  struct png_reader *reader = closure;
  if (count > reader->left) return STATUS_READ_ERROR;
  memcpy(out, reader->bytes, count);
  reader->bytes += count;
  reader->left -= count;
  return 0;
}

static uint32_t number(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

uint8_t *parley_png_read(const uint8_t *bytes, uint64_t count, int32_t *width, int32_t *height) {
  // The size stands in the first chunk. It is looked at before Cairo takes memory for it.
  if (!bytes || count < 24 || number(bytes + 16) > 4096 || number(bytes + 20) > 4096) return NULL;
  struct png_reader reader = {bytes, count};
  void *surface = fn.cairo_image_surface_create_from_png_stream(read_png, &reader);
  uint8_t *out = NULL;
  if (fn.cairo_surface_status(surface) == 0) {
    int w = fn.cairo_image_surface_get_width(surface), h = fn.cairo_image_surface_get_height(surface);
    int stride = fn.cairo_image_surface_get_stride(surface);
    const uint8_t *data = fn.cairo_image_surface_get_data(surface);
    if (data && w > 0 && h > 0 && (out = malloc((size_t)w * (size_t)h * 4))) {
      for (int row = 0; row < h; row++)
        memcpy(out + (size_t)row * (size_t)w * 4, data + (size_t)row * (size_t)stride, (size_t)w * 4);
      *width = w;
      *height = h;
    }
  }
  fn.cairo_surface_destroy(surface);
  return out;
}
