#pragma once
// The parts of GTK 4 and GLib 2 that are used. Both promise that functions and numbers stay as they are for all
// releases of the series.
#include <stdint.h>

typedef int gboolean;
typedef void *object;

#define FUNCTIONS                                                                                                      \
  F(void, gtk_disable_setlocale, (void))                                                                              \
  F(void, g_set_prgname, (const char *))                                                                              \
  F(gboolean, gtk_init_check, (void))                                                                                 \
  F(object, gdk_display_get_default, (void))                                                                          \
  F(gboolean, g_main_context_iteration, (void *, gboolean))                                                           \
  F(unsigned, g_idle_add_full, (int, gboolean (*)(void *), void *, void (*)(void *)))                                 \
  F(unsigned long, g_signal_connect_data, (object, const char *, void (*)(void), void *, void *, int))                \
  F(object, g_object_ref_sink, (object))                                                                              \
  F(object, g_object_ref, (object))                                                                                   \
  F(void, g_object_unref, (object))                                                                                   \
  F(void, g_object_set, (object, const char *, ...))                                                                  \
  F(void, g_object_get, (object, const char *, ...))                                                                   \
  F(void, g_object_set_data, (object, const char *, void *))                                                          \
  F(void *, g_object_get_data, (object, const char *))                                                                \
  F(void, g_free, (void *))                                                                                           \
  F(void *, g_bytes_new_with_free_func, (const void *, size_t, void (*)(void *), void *))                             \
  F(void, g_bytes_unref, (void *))                                                                                    \
  F(object, gtk_box_new, (int, int))                                                                                  \
  F(void, gtk_box_append, (object, object))                                                                           \
  F(object, gtk_custom_layout_new,                                                                                    \
    (int (*)(object), void (*)(object, int, int, int *, int *, int *, int *), void (*)(object, int, int, int)))       \
  F(void, gtk_widget_set_layout_manager, (object, object))                                                            \
  F(object, gtk_widget_get_first_child, (object))                                                                     \
  F(object, gtk_widget_get_next_sibling, (object))                                                                    \
  F(object, gtk_widget_get_prev_sibling, (object))                                                                    \
  F(object, gtk_widget_get_parent, (object))                                                                          \
  F(void, gtk_widget_insert_after, (object, object, object))                                                          \
  F(void, gtk_widget_unparent, (object))                                                                              \
  F(void, gtk_widget_measure, (object, int, int, int *, int *, int *, int *))                                         \
  F(void, gtk_widget_allocate, (object, int, int, int, void *))                                                       \
  F(void, gtk_widget_queue_allocate, (object))                                                                        \
  F(gboolean, gtk_widget_should_layout, (object))                                                                     \
  F(void, gtk_widget_set_size_request, (object, int, int))                                                            \
  F(void, gtk_widget_set_visible, (object, gboolean))                                                                 \
  F(void, gtk_widget_set_opacity, (object, double))                                                                   \
  F(void, gtk_widget_set_overflow, (object, int))                                                                     \
  F(void, gtk_widget_set_sensitive, (object, gboolean))                                                               \
  F(void, gtk_widget_set_can_focus, (object, gboolean))                                                                \
  F(void, gtk_widget_set_focusable, (object, gboolean))                                                                \
  F(unsigned, gtk_widget_add_tick_callback, (object, gboolean (*)(object, object, void *), void *, void (*)(void *)))  \
  F(void, gtk_widget_set_halign, (object, int))                                                                        \
  F(void, gtk_widget_set_valign, (object, int))                                                                        \
  F(void, gtk_widget_set_can_target, (object, gboolean))                                                              \
  F(void, gtk_widget_add_controller, (object, object))                                                                \
  F(void, gtk_widget_add_css_class, (object, const char *))                                                           \
  F(void, gtk_widget_remove_css_class, (object, const char *))                                                         \
  F(gboolean, gtk_widget_grab_focus, (object))                                                                        \
  F(object, gtk_widget_get_style_context, (object))                                                                   \
  F(int, gtk_widget_get_width, (object))                                                                              \
  F(int, gtk_widget_get_height, (object))                                                                             \
  F(object, gtk_widget_get_native, (object))                                                                          \
  F(object, gtk_css_provider_new, (void))                                                                             \
  F(void, gtk_css_provider_load_from_data, (object, const char *, intptr_t))                                          \
  F(void, gtk_style_context_add_provider_for_display, (object, object, unsigned))                                      \
  F(void, gtk_style_context_remove_provider_for_display, (object, object))                                             \
  F(gboolean, gtk_style_context_lookup_color, (object, const char *, float *))                                         \
  F(void, gtk_css_provider_load_named, (object, const char *, const char *))                                           \
  F(object, gtk_settings_get_default, (void))                                                                          \
  F(void, gtk_style_context_add_provider, (object, object, unsigned))                                                 \
  F(object, gtk_label_new, (const char *))                                                                            \
  F(void, gtk_label_set_text, (object, const char *))                                                                 \
  F(void, gtk_label_set_xalign, (object, float))                                                                      \
  F(void, gtk_label_set_attributes, (object, void *))                                                                  \
  F(void *, pango_attr_list_new, (void))                                                                              \
  F(void *, pango_attr_insert_hyphens_new, (gboolean))                                                                \
  F(void, pango_attr_list_insert, (void *, void *))                                                                   \
  F(void, pango_attr_list_unref, (void *))                                                                            \
  F(object, gtk_text_buffer_create_tag, (object, const char *, const char *, ...))                                    \
  F(void, gtk_text_buffer_apply_tag, (object, object, const void *, const void *))                                    \
  F(void, gtk_label_set_wrap, (object, gboolean))                                                                     \
  F(void, gtk_label_set_wrap_mode, (object, int))                                                                     \
  F(void, gtk_label_set_lines, (object, int))                                                                         \
  F(void, gtk_label_set_justify, (object, int))                                                                       \
  F(void, gtk_label_set_ellipsize, (object, int))                                                                     \
  F(object, gtk_button_new, (void))                                                                                   \
  F(object, gtk_button_new_with_label, (const char *))                                                                \
  F(void, gtk_button_set_label, (object, const char *))                                                               \
  F(void, gtk_button_set_child, (object, object))                                                                      \
  F(void, gtk_button_set_has_frame, (object, gboolean))                                                               \
  F(object, gtk_entry_new, (void))                                                                                    \
  F(void, gtk_entry_set_placeholder_text, (object, const char *))                                                     \
  F(void, gtk_entry_set_has_frame, (object, gboolean))                                                                \
  F(void, gtk_entry_set_alignment, (object, float))                                                                   \
  F(void, gtk_editable_set_text, (object, const char *))                                                              \
  F(const char *, gtk_editable_get_text, (object))                                                                    \
  F(void, gtk_editable_set_position, (object, int))                                                                   \
  F(object, gtk_text_view_new, (void))                                                                                \
  F(object, gtk_text_view_get_buffer, (object))                                                                       \
  F(void, gtk_text_view_set_editable, (object, gboolean))                                                             \
  F(void, gtk_text_view_set_cursor_visible, (object, gboolean))                                                       \
  F(void, gtk_text_view_set_wrap_mode, (object, int))                                                                 \
  F(void, gtk_text_view_set_justification, (object, int))                                                             \
  F(void, gtk_text_buffer_set_text, (object, const char *, int))                                                      \
  F(void, gtk_text_buffer_get_bounds, (object, void *, void *))                                                       \
  F(char *, gtk_text_buffer_get_text, (object, const void *, const void *, gboolean))                                 \
  F(object, gtk_scrolled_window_new, (void))                                                                          \
  F(void, gtk_scrolled_window_set_child, (object, object))                                                            \
  F(void, gtk_scrolled_window_set_policy, (object, int, int))                                                         \
  F(object, gtk_scrolled_window_get_vadjustment, (object))                                                            \
  F(void, gtk_adjustment_set_value, (object, double))                                                                 \
  F(double, gtk_adjustment_get_upper, (object))                                                                       \
  F(object, gtk_switch_new, (void))                                                                                   \
  F(void, gtk_switch_set_active, (object, gboolean))                                                                  \
  F(gboolean, gtk_switch_get_active, (object))                                                                        \
  F(object, gtk_spinner_new, (void))                                                                                  \
  F(void, gtk_spinner_set_spinning, (object, gboolean))                                                               \
  F(object, gtk_picture_new, (void))                                                                                  \
  F(void, gtk_picture_set_paintable, (object, object))                                                                \
  F(void, gtk_picture_set_can_shrink, (object, gboolean))                                                             \
  F(void, gtk_picture_set_content_fit, (object, int))                                                                 \
  F(object, gdk_memory_texture_new, (int, int, int, void *, size_t))                                                  \
  F(object, gtk_list_box_new, (void))                                                                                 \
  F(void, gtk_list_box_insert, (object, object, int))                                                                 \
  F(void, gtk_list_box_set_selection_mode, (object, int))                                                             \
  F(void, gtk_list_box_remove, (object, object))                                                                      \
  F(object, gtk_list_box_row_new, (void))                                                                             \
  F(void, gtk_list_box_row_set_child, (object, object))                                                               \
  F(int, gtk_list_box_row_get_index, (object))                                                                        \
  F(void, gtk_list_box_row_set_activatable, (object, gboolean))                                                        \
  F(object, gtk_window_new, (void))                                                                                   \
  F(void, gtk_window_set_title, (object, const char *))                                                               \
  F(void, gtk_window_set_default_size, (object, int, int))                                                            \
  F(void, gtk_window_set_child, (object, object))                                                                     \
  F(void, gtk_window_set_focus, (object, object))                                                                     \
  F(void, gtk_window_present, (object))                                                                               \
  F(void, gtk_window_destroy, (object))                                                                               \
  F(object, gtk_event_controller_focus_new, (void))                                                                   \
  F(object, gtk_event_controller_motion_new, (void))                                                                   \
  F(object, gtk_event_controller_scroll_new, (int))                                                                    \
  F(object, gtk_event_controller_key_new, (void))                                                                     \
  F(object, gtk_gesture_drag_new, (void))                                                                             \
  F(gboolean, gtk_gesture_drag_get_start_point, (object, double *, double *))                                         \
  F(uint32_t, gdk_keyval_to_unicode, (unsigned))                                                                      \
  F(void, gtk_accessible_reset_state, (object, int))                                                                   \
  F(void, gtk_accessible_update_state, (object, int, ...))                                                             \
  F(object, gtk_widget_get_root, (object))                                                                             \
  F(gboolean, gtk_widget_is_ancestor, (object, object))                                                                \
  F(object, gtk_window_get_focus, (object))                                                                            \
  F(object, gtk_password_entry_new, (void))                                                                            \
  F(void, gtk_editable_set_alignment, (object, float))                                                                 \
  F(void, gtk_accessible_reset_property, (object, int))                                                                \
  F(void, gtk_accessible_reset_relation, (object, int))                                                                \
  F(char *, gtk_test_accessible_check_property, (object, int, ...))                                                    \
  F(void, gtk_accessible_update_property, (object, int, ...))                                                         \
  F(object, gtk_widget_paintable_new, (object))                                                                       \
  F(object, gtk_snapshot_new, (void))                                                                                 \
  F(void *, gtk_snapshot_free_to_node, (object))                                                                      \
  F(void, gdk_paintable_snapshot, (object, object, double, double))                                                   \
  F(object, gtk_native_get_renderer, (object))                                                                        \
  F(object, gtk_native_get_surface, (object))                                                                         \
  F(object, gsk_renderer_render_texture, (object, void *, const void *))                                              \
  F(void, gsk_render_node_unref, (void *))                                                                            \
  F(int, gdk_texture_get_width, (object))                                                                             \
  F(int, gdk_texture_get_height, (object))                                                                            \
  F(void, gdk_texture_download, (object, uint8_t *, size_t))                                                          \
  F(void *, gsk_transform_translate, (void *, const float *))                                                         \
  F(void *, gsk_transform_scale, (void *, float, float))

struct parley_gtk_functions {
#define F(result, name, arguments) result(*name) arguments;
  FUNCTIONS
#undef F
};

extern struct parley_gtk_functions gtk;

/// Reports an event to Swift.
void parley_gtk_tell(uint64_t id, int event, const char *text, double x, double y);
/// Calls a function of Swift's when a signal comes; `data` is handed to it.
void parley_gtk_connect(object instance, const char *signal, void (*function)(void), void *data);
