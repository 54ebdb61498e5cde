#include "CGTK.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_ARGB32 = 0, FORMAT_RGB24 = 1, STATUS_READ_ERROR = 10, STATUS_WRITE_ERROR = 11 };
enum { SCALE_UNIT = 1024, ELLIPSIZE_NONE = 0, ELLIPSIZE_END = 3, WEIGHT_NORMAL = 400, WEIGHT_BOLD = 700, WRAP_WORD_CHAR = 2 };

#define FUNCTIONS                                                                                                    \
  F(void *, cairo_image_surface_create, (int, int, int))                                                             \
  F(void, cairo_surface_flush, (void *))                                                                             \
  F(void *, cairo_create, (void *))                                                                                  \
  F(void, cairo_destroy, (void *))                                                                                   \
  F(void, cairo_save, (void *))                                                                                      \
  F(void, cairo_restore, (void *))                                                                                   \
  F(void, cairo_translate, (void *, double, double))                                                                 \
  F(void, cairo_scale, (void *, double, double))                                                                     \
  F(void, cairo_push_group, (void *))                                                                                \
  F(void, cairo_pop_group_to_source, (void *))                                                                       \
  F(void, cairo_paint, (void *))                                                                                     \
  F(void, cairo_paint_with_alpha, (void *, double))                                                                  \
  F(void, cairo_new_path, (void *))                                                                                  \
  F(void, cairo_rectangle, (void *, double, double, double, double))                                                 \
  F(void, cairo_arc, (void *, double, double, double, double, double))                                               \
  F(void, cairo_close_path, (void *))                                                                                \
  F(void, cairo_clip, (void *))                                                                                      \
  F(void, cairo_fill, (void *))                                                                                      \
  F(void, cairo_stroke, (void *))                                                                                    \
  F(void, cairo_set_line_width, (void *, double))                                                                    \
  F(void, cairo_set_source_rgba, (void *, double, double, double, double))                                           \
  F(void, cairo_set_source_surface, (void *, void *, double, double))                                                \
  F(void, cairo_move_to, (void *, double, double))                                                                   \
  F(void *, pango_cairo_create_layout, (void *))                                                                     \
  F(void, pango_cairo_show_layout, (void *, void *))                                                                 \
  F(void, pango_layout_set_text, (void *, const char *, int))                                                        \
  F(void, pango_layout_set_font_description, (void *, const void *))                                                 \
  F(void, pango_layout_set_width, (void *, int))                                                                     \
  F(void, pango_layout_set_height, (void *, int))                                                                    \
  F(void, pango_layout_set_wrap, (void *, int))                                                                      \
  F(void, pango_layout_set_alignment, (void *, int))                                                                 \
  F(void, pango_layout_set_ellipsize, (void *, int))                                                                 \
  F(void, pango_layout_get_pixel_size, (void *, int *, int *))                                                       \
  F(void *, pango_font_description_new, (void))                                                                      \
  F(void, pango_font_description_set_family, (void *, const char *))                                                 \
  F(void, pango_font_description_set_weight, (void *, int))                                                          \
  F(void, pango_font_description_set_absolute_size, (void *, double))                                                \
  F(void, pango_font_description_free, (void *))                                                                     \
  F(void, g_object_unref, (void *))                                                                                  \
  F(void *, cairo_image_surface_create_for_data, (const uint8_t *, int, int, int, int))                               \
  F(void *, cairo_image_surface_create_from_png_stream, (int (*)(void *, uint8_t *, unsigned), void *))               \
  F(uint8_t *, cairo_image_surface_get_data, (void *))                                                                \
  F(int, cairo_image_surface_get_width, (void *))                                                                     \
  F(int, cairo_image_surface_get_height, (void *))                                                                    \
  F(int, cairo_image_surface_get_stride, (void *))                                                                    \
  F(void, cairo_surface_destroy, (void *))                                                                            \
  F(int, cairo_surface_status, (void *))                                                                              \
  F(int, cairo_surface_write_to_png_stream, (void *, int (*)(void *, const uint8_t *, unsigned), void *))

static struct {
#define F(result, name, arguments) result(*name) arguments;
  FUNCTIONS
#undef F
} fn;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];
static int is_ready;

static void load(void) {
  static const char *const names[] = {
    "libgobject-2.0.so.0", "libcairo.so.2", "libpango-1.0.so.0", "libpangocairo-1.0.so.0",
  };
  void *libraries[4];
  for (int i = 0; i < 4; i++) {
    libraries[i] = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i]) {
      snprintf(problem, sizeof problem, "The library %s could not be loaded.", names[i]);
      return;
    }
  }
#define F(result, name, arguments)                                                                                   \
  for (int i = 3; i >= 0 && !fn.name; i--) *(void **)&fn.name = dlsym(libraries[i], #name);                           \
  if (!fn.name) {                                                                                                    \
    snprintf(problem, sizeof problem, "Cairo or Pango is too old: it has no %s.", #name);                             \
    return;                                                                                                          \
  }
  FUNCTIONS
#undef F
  is_ready = 1;
}

const char *parley_canvas_load(void) {
  pthread_once(&once, load);
  return is_ready ? NULL : problem;
}

struct png_writer {
  void *context;
  int (*write)(void *, const uint8_t *, uint32_t);
};

static int write_png(void *closure, const uint8_t *bytes, unsigned count) {
  struct png_writer *writer = closure;
  return writer->write(writer->context, bytes, count) == 0 ? 0 : STATUS_WRITE_ERROR;
}

int parley_canvas_png_write(
  const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, void *context,
  int (*write)(void *context, const uint8_t *bytes, uint32_t count)) {
  void *surface = fn.cairo_image_surface_create_for_data(pixels, FORMAT_ARGB32, width, height, stride);
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

uint8_t *parley_canvas_png_read(const uint8_t *bytes, uint64_t count, int32_t *width, int32_t *height) {
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

// MARK: drawing

// Pango's default font map belongs to a thread; one after the other is simplest.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct parley_canvas {
  void *surface, *context;
};

parley_canvas *parley_canvas_create(int32_t width, int32_t height) {
  parley_canvas *canvas = calloc(1, sizeof *canvas);
  if (!canvas) return NULL;
  canvas->surface = fn.cairo_image_surface_create(FORMAT_ARGB32, width, height);
  if (fn.cairo_surface_status(canvas->surface) != 0) {
    fn.cairo_surface_destroy(canvas->surface);
    free(canvas);
    return NULL;
  }
  canvas->context = fn.cairo_create(canvas->surface);
  return canvas;
}

void parley_canvas_destroy(parley_canvas *canvas) {
  fn.cairo_destroy(canvas->context);
  fn.cairo_surface_destroy(canvas->surface);
  free(canvas);
}

const uint8_t *parley_canvas_pixels(parley_canvas *canvas, int32_t *stride) {
  fn.cairo_surface_flush(canvas->surface);
  *stride = fn.cairo_image_surface_get_stride(canvas->surface);
  return fn.cairo_image_surface_get_data(canvas->surface);
}

static void outline(void *context, double x, double y, double width, double height, double radius) {
  const double quarter = 1.5707963267948966;
  double most = (width < height ? width : height) / 2;
  if (radius > most) radius = most;
  fn.cairo_new_path(context);
  if (radius <= 0) {
    fn.cairo_rectangle(context, x, y, width, height);
    return;
  }
  fn.cairo_arc(context, x + width - radius, y + radius, radius, -quarter, 0);
  fn.cairo_arc(context, x + width - radius, y + height - radius, radius, 0, quarter);
  fn.cairo_arc(context, x + radius, y + height - radius, radius, quarter, 2 * quarter);
  fn.cairo_arc(context, x + radius, y + radius, radius, 2 * quarter, 3 * quarter);
  fn.cairo_close_path(context);
}

void parley_canvas_begin(
  parley_canvas *canvas, double x, double y, double opacity, double clip_width, double clip_height, double radius) {
  fn.cairo_save(canvas->context);
  fn.cairo_translate(canvas->context, x, y);
  if (clip_width >= 0) {
    outline(canvas->context, 0, 0, clip_width, clip_height, radius);
    fn.cairo_clip(canvas->context);
  }
  if (opacity < 1) fn.cairo_push_group(canvas->context);
}

void parley_canvas_end(parley_canvas *canvas, double opacity) {
  if (opacity < 1) {
    fn.cairo_pop_group_to_source(canvas->context);
    fn.cairo_paint_with_alpha(canvas->context, opacity);
  }
  fn.cairo_restore(canvas->context);
}

void parley_canvas_rectangle(
  parley_canvas *canvas, double x, double y, double width, double height, double radius, double line, const double color[4]) {
  fn.cairo_set_source_rgba(canvas->context, color[0], color[1], color[2], color[3]);
  if (line > 0) {
    outline(canvas->context, x + line / 2, y + line / 2, width - line, height - line, radius - line / 2);
    fn.cairo_set_line_width(canvas->context, line);
    fn.cairo_stroke(canvas->context);
  } else {
    outline(canvas->context, x, y, width, height, radius);
    fn.cairo_fill(canvas->context);
  }
}

void parley_canvas_picture(
  parley_canvas *canvas, const uint8_t *pixels, int32_t width, int32_t height, int translucent, int mirrored, double x, double y,
  double to_width, double to_height) {
  int format = translucent ? FORMAT_ARGB32 : FORMAT_RGB24;
  void *surface = fn.cairo_image_surface_create_for_data(pixels, format, width, height, width * 4);
  if (fn.cairo_surface_status(surface) == 0 && to_width > 0 && to_height > 0) {
    fn.cairo_save(canvas->context);
    outline(canvas->context, x, y, to_width, to_height, 0);
    fn.cairo_clip(canvas->context);
    fn.cairo_translate(canvas->context, mirrored ? x + to_width : x, y);
    fn.cairo_scale(canvas->context, (mirrored ? -1 : 1) * to_width / width, to_height / height);
    fn.cairo_set_source_surface(canvas->context, surface, 0, 0);
    fn.cairo_paint(canvas->context);
    fn.cairo_restore(canvas->context);
  }
  fn.cairo_surface_destroy(surface);
}

/// A layout of the text; the lock is held.
static void *lay_out(void *context, const char *text, parley_text_style style, double width) {
  void *layout = fn.pango_cairo_create_layout(context);
  void *font = fn.pango_font_description_new();
  fn.pango_font_description_set_family(font, "Inter, Noto Sans, DejaVu Sans, Sans");
  fn.pango_font_description_set_weight(font, style.bold ? WEIGHT_BOLD : WEIGHT_NORMAL);
  fn.pango_font_description_set_absolute_size(font, style.size * SCALE_UNIT);
  fn.pango_layout_set_font_description(layout, font);
  fn.pango_font_description_free(font);
  fn.pango_layout_set_text(layout, text, -1);
  fn.pango_layout_set_wrap(layout, WRAP_WORD_CHAR);
  fn.pango_layout_set_alignment(layout, style.alignment);
  if (width >= 0) fn.pango_layout_set_width(layout, (int)(width * SCALE_UNIT));
  if (style.lines > 0) {
    fn.pango_layout_set_height(layout, -style.lines);
    fn.pango_layout_set_ellipsize(layout, width >= 0 ? ELLIPSIZE_END : ELLIPSIZE_NONE);
  }
  return layout;
}

void parley_canvas_text(
  parley_canvas *canvas, const char *text, parley_text_style style, int top, double x, double y, double width, double height,
  const double color[4]) {
  pthread_mutex_lock(&lock);
  void *layout = lay_out(canvas->context, text, style, width);
  int w = 0, h = 0;
  fn.pango_layout_get_pixel_size(layout, &w, &h);
  fn.cairo_set_source_rgba(canvas->context, color[0], color[1], color[2], color[3]);
  fn.cairo_move_to(canvas->context, x, top ? y : y + (height - h) / 2);
  fn.pango_cairo_show_layout(canvas->context, layout);
  fn.g_object_unref(layout);
  pthread_mutex_unlock(&lock);
}

void parley_text_measure(const char *text, parley_text_style style, double width, double *out_width, double *out_height) {
  pthread_mutex_lock(&lock);
  void *surface = fn.cairo_image_surface_create(FORMAT_ARGB32, 1, 1);
  void *context = fn.cairo_create(surface);
  void *layout = lay_out(context, text, style, width);
  int w = 0, h = 0;
  fn.pango_layout_get_pixel_size(layout, &w, &h);
  *out_width = w;
  *out_height = h;
  fn.g_object_unref(layout);
  fn.cairo_destroy(context);
  fn.cairo_surface_destroy(surface);
  pthread_mutex_unlock(&lock);
}
