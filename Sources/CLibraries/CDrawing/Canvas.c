#include <stdlib.h>

#include "CDrawing.h"
#include "Library.h"

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
  void *font = parley_drawing_font(style.size, style.bold);
  fn.pango_layout_set_font_description(layout, font);
  fn.pango_font_description_free(font);
  fn.pango_layout_set_text(layout, text, -1);
  fn.pango_layout_set_wrap(layout, WRAP_WORD_CHAR);
  // A hyphen in a broken word, such as an address, would be read as a part of it.
  void *attributes = fn.pango_attr_list_new();
  fn.pango_attr_list_insert(attributes, fn.pango_attr_insert_hyphens_new(0));
  fn.pango_layout_set_attributes(layout, attributes);
  fn.pango_attr_list_unref(attributes);
  fn.pango_layout_set_alignment(layout, style.alignment);
  if (width >= 0) fn.pango_layout_set_width(layout, (int)(width * SCALE_UNIT));
  if (style.lines > 0) {
    fn.pango_layout_set_height(layout, -style.lines);
    fn.pango_layout_set_ellipsize(layout, width >= 0 ? ELLIPSIZE_END : ELLIPSIZE_NONE);
  }
  parley_drawing_report_missing(layout);
  return layout;
}

void parley_canvas_text(
  parley_canvas *canvas, const char *text, parley_text_style style, int top, double x, double y, double width, double height,
  const double color[4]) {
  pthread_mutex_lock(&parley_drawing_lock);
  void *layout = lay_out(canvas->context, text, style, width);
  int w = 0, h = 0;
  fn.pango_layout_get_pixel_size(layout, &w, &h);
  fn.cairo_set_source_rgba(canvas->context, color[0], color[1], color[2], color[3]);
  fn.cairo_move_to(canvas->context, x, top ? y : y + (height - h) / 2);
  fn.pango_cairo_show_layout(canvas->context, layout);
  fn.g_object_unref(layout);
  pthread_mutex_unlock(&parley_drawing_lock);
}

void parley_text_measure(const char *text, parley_text_style style, double width, double *out_width, double *out_height) {
  pthread_mutex_lock(&parley_drawing_lock);
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
  pthread_mutex_unlock(&parley_drawing_lock);
}
