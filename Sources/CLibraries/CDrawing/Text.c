#include <stdlib.h>
#include <string.h>

#include "CDrawing.h"
#include "Library.h"

parley_text_mask parley_text_draw(const char *text, double size, int bold, int maximum_width) {
  parley_text_mask mask = {0, 0, 0, NULL};
  pthread_mutex_lock(&parley_drawing_lock);
  void *surface = fn.cairo_image_surface_create(FORMAT_A8, 1, 1);
  void *context = fn.cairo_create(surface);
  void *layout = fn.pango_cairo_create_layout(context);
  void *font = parley_drawing_font(size, bold);
  fn.pango_layout_set_font_description(layout, font);
  fn.pango_layout_set_single_paragraph_mode(layout, 1);
  fn.pango_layout_set_text(layout, text, -1);
  fn.pango_layout_set_ellipsize(layout, ELLIPSIZE_END);
  parley_drawing_report_missing(layout);
  int width = 0, height = 0;
  fn.pango_layout_get_pixel_size(layout, &width, &height);
  if (width > maximum_width) {
    fn.pango_layout_set_width(layout, maximum_width * SCALE_UNIT);
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
  pthread_mutex_unlock(&parley_drawing_lock);
  return mask;
}

void parley_text_free(parley_text_mask *mask) {
  free(mask->bytes);
  mask->bytes = NULL;
}
