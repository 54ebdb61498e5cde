#pragma once
// The parts of Cairo and Pango that are used. Both promise that functions and numbers stay as they are for all releases
// of the series.
#include <pthread.h>
#include <stdint.h>

enum { FORMAT_ARGB32 = 0, FORMAT_RGB24 = 1, FORMAT_A8 = 2, STATUS_READ_ERROR = 10, STATUS_WRITE_ERROR = 11 };
enum { SCALE_UNIT = 1024, ELLIPSIZE_NONE = 0, ELLIPSIZE_END = 3, WEIGHT_NORMAL = 400, WEIGHT_BOLD = 700, WRAP_WORD_CHAR = 2 };

/// A run of a line of text (PangoGlyphItem), up to the parts that are read.
struct glyph_item {
  void *item;
  struct glyph_string {
    int count;
    struct glyph_info {
      uint32_t glyph;
      int width, x, y;
      unsigned attributes;
    } *glyphs;
  } *glyphs;
};

#define FUNCTIONS                                                                                                       \
  F(void *, cairo_image_surface_create, (int, int, int))                                                                \
  F(void, cairo_surface_flush, (void *))                                                                                \
  F(void *, cairo_create, (void *))                                                                                     \
  F(void, cairo_destroy, (void *))                                                                                      \
  F(void, cairo_save, (void *))                                                                                         \
  F(void, cairo_restore, (void *))                                                                                      \
  F(void, cairo_translate, (void *, double, double))                                                                    \
  F(void, cairo_scale, (void *, double, double))                                                                        \
  F(void, cairo_push_group, (void *))                                                                                   \
  F(void, cairo_pop_group_to_source, (void *))                                                                          \
  F(void, cairo_paint, (void *))                                                                                        \
  F(void, cairo_paint_with_alpha, (void *, double))                                                                     \
  F(void, cairo_new_path, (void *))                                                                                     \
  F(void, cairo_rectangle, (void *, double, double, double, double))                                                    \
  F(void, cairo_arc, (void *, double, double, double, double, double))                                                  \
  F(void, cairo_close_path, (void *))                                                                                   \
  F(void, cairo_clip, (void *))                                                                                         \
  F(void, cairo_fill, (void *))                                                                                         \
  F(void, cairo_stroke, (void *))                                                                                       \
  F(void, cairo_set_line_width, (void *, double))                                                                       \
  F(void, cairo_set_source_rgba, (void *, double, double, double, double))                                              \
  F(void, cairo_set_source_surface, (void *, void *, double, double))                                                   \
  F(void, cairo_move_to, (void *, double, double))                                                                      \
  F(void *, cairo_image_surface_create_for_data, (const uint8_t *, int, int, int, int))                                 \
  F(void *, cairo_image_surface_create_from_png_stream, (int (*)(void *, uint8_t *, unsigned), void *))                 \
  F(uint8_t *, cairo_image_surface_get_data, (void *))                                                                  \
  F(int, cairo_image_surface_get_width, (void *))                                                                       \
  F(int, cairo_image_surface_get_height, (void *))                                                                      \
  F(int, cairo_image_surface_get_stride, (void *))                                                                      \
  F(void, cairo_surface_destroy, (void *))                                                                              \
  F(int, cairo_surface_status, (void *))                                                                                \
  F(int, cairo_surface_write_to_png_stream, (void *, int (*)(void *, const uint8_t *, unsigned), void *))               \
  F(void *, pango_cairo_create_layout, (void *))                                                                        \
  F(void, pango_cairo_show_layout, (void *, void *))                                                                    \
  F(void, pango_layout_set_text, (void *, const char *, int))                                                           \
  F(void, pango_layout_set_font_description, (void *, const void *))                                                    \
  F(void, pango_layout_set_width, (void *, int))                                                                        \
  F(void, pango_layout_set_height, (void *, int))                                                                       \
  F(void, pango_layout_set_wrap, (void *, int))                                                                         \
  F(void, pango_layout_set_attributes, (void *, void *))                                                                \
  F(void *, pango_attr_list_new, (void))                                                                                \
  F(void *, pango_attr_insert_hyphens_new, (int))                                                                       \
  F(void, pango_attr_list_insert, (void *, void *))                                                                     \
  F(void, pango_attr_list_unref, (void *))                                                                              \
  F(void, pango_layout_set_alignment, (void *, int))                                                                    \
  F(void, pango_layout_set_ellipsize, (void *, int))                                                                    \
  F(void, pango_layout_get_pixel_size, (void *, int *, int *))                                                          \
  F(int, pango_layout_get_unknown_glyphs_count, (void *))                                                                \
  F(void *, pango_layout_get_iter, (void *))                                                                             \
  F(const struct glyph_item *, pango_layout_iter_get_run_readonly, (void *))                                             \
  F(int, pango_layout_iter_next_run, (void *))                                                                           \
  F(void, pango_layout_iter_free, (void *))                                                                              \
  F(int, g_unichar_type, (uint32_t))                                                                                     \
  F(int, g_unichar_get_script, (uint32_t))                                                                               \
  F(uint32_t, g_unicode_script_to_iso15924, (int))                                                                       \
  F(void *, pango_font_description_new, (void))                                                                         \
  F(void, pango_font_description_set_family, (void *, const char *))                                                    \
  F(void, pango_font_description_set_weight, (void *, int))                                                             \
  F(void, pango_font_description_set_absolute_size, (void *, double))                                                   \
  F(void, pango_font_description_free, (void *))                                                                        \
  F(void, pango_layout_set_single_paragraph_mode, (void *, int))                                                        \
  F(void, g_object_unref, (void *))

struct parley_drawing_functions {
#define F(result, name, arguments) result(*name) arguments;
  FUNCTIONS
#undef F
};

extern struct parley_drawing_functions parley_drawing;
#define fn parley_drawing

/// Held while text is set: Pango's default font map belongs to a thread, and one after the other is simplest.
extern pthread_mutex_t parley_drawing_lock;

/// Logs which characters of a text have no font, once for each script; the lock is held.
void parley_drawing_report_missing(void *layout);

/// The font of every text, freed with pango_font_description_free; the lock is held.
void *parley_drawing_font(double size, int bold);
