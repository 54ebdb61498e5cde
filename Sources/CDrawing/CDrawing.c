#include "CDrawing.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_RGB24 = 1, FORMAT_A8 = 2, PANGO_SCALE_UNIT = 1024, ELLIPSIZE_END = 3, WEIGHT_NORMAL = 400, WEIGHT_BOLD = 700 };

#define FUNCTIONS                                                                                                    \
  F(void *, cairo_image_surface_create, (int, int, int))                                                              \
  F(void *, cairo_image_surface_create_for_data, (const uint8_t *, int, int, int, int))                               \
  F(uint8_t *, cairo_image_surface_get_data, (void *))                                                                \
  F(int, cairo_image_surface_get_stride, (void *))                                                                    \
  F(void, cairo_surface_flush, (void *))                                                                              \
  F(void, cairo_surface_destroy, (void *))                                                                            \
  F(int, cairo_surface_status, (void *))                                                                              \
  F(int, cairo_surface_write_to_png_stream, (void *, int (*)(void *, const uint8_t *, unsigned), void *))             \
  F(void *, cairo_create, (void *))                                                                                   \
  F(void, cairo_destroy, (void *))                                                                                    \
  F(void, cairo_move_to, (void *, double, double))                                                                    \
  F(void, cairo_set_source_rgba, (void *, double, double, double, double))                                            \
  F(void *, pango_cairo_create_layout, (void *))                                                                      \
  F(void, pango_cairo_show_layout, (void *, void *))                                                                  \
  F(void, pango_layout_set_text, (void *, const char *, int))                                                         \
  F(void, pango_layout_set_font_description, (void *, const void *))                                                  \
  F(void, pango_layout_set_width, (void *, int))                                                                      \
  F(void, pango_layout_set_ellipsize, (void *, int))                                                                  \
  F(void, pango_layout_set_single_paragraph_mode, (void *, int))                                                      \
  F(void, pango_layout_get_pixel_size, (void *, int *, int *))                                                        \
  F(void *, pango_font_description_new, (void))                                                                       \
  F(void, pango_font_description_set_family, (void *, const char *))                                                  \
  F(void, pango_font_description_set_weight, (void *, int))                                                           \
  F(void, pango_font_description_set_absolute_size, (void *, double))                                                 \
  F(void, pango_font_description_free, (void *))                                                                      \
  F(void, g_object_unref, (void *))

static struct {
#define F(result, name, arguments) result(*name) arguments;
  FUNCTIONS
#undef F
} fn;

static pthread_once_t once = PTHREAD_ONCE_INIT;
// Pango's default font map belongs to a thread; one after the other is simplest, and text is drawn rarely.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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

const char *parley_drawing_load(void) {
  pthread_once(&once, load);
  return is_ready ? NULL : problem;
}

parley_text_mask parley_text_draw(const char *text, double size, int bold, int maximum_width) {
  parley_text_mask mask = {0, 0, 0, NULL};
  pthread_mutex_lock(&lock);
  void *surface = fn.cairo_image_surface_create(FORMAT_A8, 1, 1);
  void *context = fn.cairo_create(surface);
  void *layout = fn.pango_cairo_create_layout(context);
  void *font = fn.pango_font_description_new();
  fn.pango_font_description_set_family(font, "Inter, Noto Sans, DejaVu Sans, Sans");
  fn.pango_font_description_set_weight(font, bold ? WEIGHT_BOLD : WEIGHT_NORMAL);
  fn.pango_font_description_set_absolute_size(font, size * PANGO_SCALE_UNIT);
  fn.pango_layout_set_font_description(layout, font);
  fn.pango_layout_set_single_paragraph_mode(layout, 1);
  fn.pango_layout_set_text(layout, text, -1);
  fn.pango_layout_set_ellipsize(layout, ELLIPSIZE_END);
  int width = 0, height = 0;
  fn.pango_layout_get_pixel_size(layout, &width, &height);
  if (width > maximum_width) {
    fn.pango_layout_set_width(layout, maximum_width * PANGO_SCALE_UNIT);
    fn.pango_layout_get_pixel_size(layout, &width, &height);
    if (width > maximum_width) width = maximum_width;
  }
  fn.cairo_destroy(context);
  fn.cairo_surface_destroy(surface);
  if (width > 0 && height > 0 && height < 4096) {
    surface = fn.cairo_image_surface_create(FORMAT_A8, width, height);
    context = fn.cairo_create(surface);
    fn.cairo_set_source_rgba(context, 0, 0, 0, 1);
    fn.cairo_move_to(context, 0, 0);
    fn.pango_cairo_show_layout(context, layout);
    fn.cairo_surface_flush(surface);
    mask.stride = fn.cairo_image_surface_get_stride(surface);
    uint8_t *data = fn.cairo_image_surface_get_data(surface);
    if (data && (mask.bytes = malloc((size_t)mask.stride * (size_t)height))) {
      memcpy(mask.bytes, data, (size_t)mask.stride * (size_t)height);
      mask.width = width;
      mask.height = height;
    }
    fn.cairo_destroy(context);
    fn.cairo_surface_destroy(surface);
  }
  fn.pango_font_description_free(font);
  fn.g_object_unref(layout);
  pthread_mutex_unlock(&lock);
  return mask;
}

void parley_text_free(parley_text_mask *mask) {
  free(mask->bytes);
  mask->bytes = NULL;
}

struct png_writer {
  void *context;
  int (*write)(void *, const uint8_t *, uint32_t);
};

static int write_png(void *closure, const uint8_t *bytes, unsigned count) {
  struct png_writer *writer = closure;
  // CAIRO_STATUS_WRITE_ERROR
  return writer->write(writer->context, bytes, count) == 0 ? 0 : 11;
}

int parley_png_write(
  const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, void *context,
  int (*write)(void *context, const uint8_t *bytes, uint32_t count)) {
  void *surface = fn.cairo_image_surface_create_for_data(pixels, FORMAT_RGB24, width, height, stride);
  int status = fn.cairo_surface_status(surface);
  struct png_writer writer = {context, write};
  if (status == 0) status = fn.cairo_surface_write_to_png_stream(surface, write_png, &writer);
  fn.cairo_surface_destroy(surface);
  return status;
}
