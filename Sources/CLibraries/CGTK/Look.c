// The content and the look of a node.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CGTK.h"
#include "Library.h"
#include "Node.h"

enum { FORMAT_BGRA_PREMULTIPLIED = 0, ACCESSIBLE_LABEL = 4, ACCESSIBLE_MODAL = 6, ACCESSIBLE_LABELLED_BY = 9, ACCESSIBLE_HIDDEN = 4 };
enum { ALIGN_CENTER = 3, FIT_CONTAIN = 1, PANGO_WRAP_WORD_CHAR = 2, ELLIPSIZE_END = 3 };

// MARK: buttons

/// The image of a button has its own size, or less if the button is smaller.
static void size_picture(parley_node *node) {
  if (!node->picture) return;
  double scale = 1;
  if (node->width > 10 && node->picture_width > node->width - 10) scale = (node->width - 10) / node->picture_width;
  if (node->height > 6 && node->picture_height * scale > node->height - 6) scale = (node->height - 6) / node->picture_height;
  gtk.gtk_widget_set_size_request(node->picture, (int)(node->picture_width * scale), (int)(node->picture_height * scale));
}

/// A button shows its title, its image, or the image with the title next to it.
static void fill_button(parley_node *node) {
  const char *title = node->title ? node->title : "";
  node->picture = NULL;
  if (!node->texture) {
    gtk.gtk_button_set_label(node->inner, title);
    return;
  }
  object box = gtk.gtk_box_new(0, 6);
  gtk.gtk_widget_set_halign(box, ALIGN_CENTER);
  // A picture by itself grows with the room there is; in a box of this layout it has the size that the box asks for.
  node->picture = gtk.gtk_box_new(0, 0);
  gtk.gtk_widget_set_layout_manager(node->picture, parley_layout());
  gtk.gtk_widget_set_valign(node->picture, ALIGN_CENTER);
  object picture = gtk.gtk_picture_new();
  gtk.gtk_picture_set_can_shrink(picture, 1);
  gtk.gtk_picture_set_content_fit(picture, FIT_CONTAIN);
  gtk.gtk_picture_set_paintable(picture, node->texture);
  gtk.gtk_widget_insert_after(picture, node->picture, NULL);
  gtk.gtk_box_append(box, node->picture);
  if (*title) gtk.gtk_box_append(box, gtk.gtk_label_new(title));
  gtk.gtk_button_set_child(node->inner, box);
  size_picture(node);
}

// MARK: changing

void parley_node_set_frame(parley_node *node, double x, double y, double width, double height) {
  node->x = x;
  node->y = y;
  node->width = width;
  node->height = height;
  size_picture(node);
  if (node->is_row) gtk.gtk_widget_set_size_request(node->box, -1, (int)height);
  object parent = gtk.gtk_widget_get_parent(node->box);
  if (parent) gtk.gtk_widget_queue_allocate(parent);
  gtk.gtk_widget_queue_allocate(node->box);
}

static void load_style(object provider, const char *declarations) {
  char *text = malloc(strlen(declarations) + 16);
  if (!text) return;
  sprintf(text, "* { %s }", declarations);
  gtk.gtk_css_provider_load_from_data(provider, text, -1);
  free(text);
}

void parley_node_set_style(parley_node *node, const char *box, const char *content) {
  load_style(node->box_style, box);
  if (node->content_style) load_style(node->content_style, content);
}

void parley_node_set_text(parley_node *node, const char *text) {
  node->is_setting = 1;
  if (node->kind == PARLEY_LABEL) gtk.gtk_label_set_text(node->inner, text);
  if (node->kind == PARLEY_BUTTON) {
    free(node->title);
    node->title = strdup(text);
    fill_button(node);
  }
  if ((node->kind == PARLEY_FIELD || node->kind == PARLEY_SECRET) && strcmp(gtk.gtk_editable_get_text(node->inner), text) != 0) {
    gtk.gtk_editable_set_text(node->inner, text);
    gtk.gtk_editable_set_position(node->inner, -1);
  }
  if (node->kind == PARLEY_TEXT) {
    object buffer = gtk.gtk_text_view_get_buffer(node->inner);
    text_place start, end;
    gtk.gtk_text_buffer_get_bounds(buffer, &start, &end);
    char *old = gtk.gtk_text_buffer_get_text(buffer, &start, &end, 0);
    if (strcmp(old, text) != 0) {
      gtk.gtk_text_buffer_set_text(buffer, text, -1);
      // As in labels: a broken word has no hyphen.
      object tag = gtk.g_object_get_data(buffer, "parley-words");
      if (!tag) {
        tag = gtk.gtk_text_buffer_create_tag(buffer, NULL, "insert-hyphens", 0, NULL);
        gtk.g_object_set_data(buffer, "parley-words", tag);
      }
      gtk.gtk_text_buffer_get_bounds(buffer, &start, &end);
      gtk.gtk_text_buffer_apply_tag(buffer, tag, &start, &end);
    }
    gtk.g_free(old);
  }
  node->is_setting = 0;
}

void parley_node_set_placeholder(parley_node *node, const char *text) {
  if (node->kind == PARLEY_FIELD) gtk.gtk_entry_set_placeholder_text(node->inner, text);
  if (node->kind == PARLEY_SECRET) gtk.g_object_set(node->inner, "placeholder-text", text, (char *)NULL);
}

static void set_name(object widget, const char *label) {
  if (label) gtk.gtk_accessible_update_property(widget, ACCESSIBLE_LABEL, label, -1);
  else gtk.gtk_accessible_reset_property(widget, ACCESSIBLE_LABEL);
}

void parley_node_set_accessible(parley_node *node, const char *label) {
  object widget = node->content ? node->inner : node->box;
  // A button is named by the label in it as well; both together would be read out.
  if (node->kind == PARLEY_BUTTON) gtk.gtk_accessible_reset_relation(widget, ACCESSIBLE_LABELLED_BY);
  if (!node->is_row) return set_name(widget, label);
  free(node->name);
  node->name = label ? strdup(label) : NULL;
  parley_node_name_row(node);
}

void parley_node_name_row(parley_node *node) { set_name(node->row, node->name); }

int parley_node_is_named(parley_node *node, const char *label) {
  object widget = node->is_row ? node->row : node->content ? node->inner : node->box;
  char *other = gtk.gtk_test_accessible_check_property(widget, ACCESSIBLE_LABEL, label);
  gtk.g_free(other);
  return !other;
}

void parley_node_set_role(parley_node *node, int role, int is_modal) {
  gtk.g_object_set(node->box, "accessible-role", role, (char *)NULL);
  if (is_modal) gtk.gtk_accessible_update_property(node->box, ACCESSIBLE_MODAL, 1, -1);
}

int parley_node_role(parley_node *node) {
  int role = -1;
  gtk.g_object_get(node->content ? node->inner : node->box, "accessible-role", &role, (char *)NULL);
  return role;
}

void parley_node_set_reachable(parley_node *node, int reachable) {
  gtk.gtk_widget_set_can_focus(node->box, reachable);
  if (reachable) return gtk.gtk_accessible_reset_state(node->box, ACCESSIBLE_HIDDEN);
  gtk.gtk_accessible_update_state(node->box, ACCESSIBLE_HIDDEN, 1, -1);
  object window = gtk.gtk_widget_get_root(node->box);
  object focus = window ? gtk.gtk_window_get_focus(window) : NULL;
  if (focus && gtk.gtk_widget_is_ancestor(focus, node->box)) gtk.gtk_window_set_focus(window, NULL);
}

void parley_node_set_look(parley_node *node, int visible, double opacity, int clips, int enabled) {
  gtk.gtk_widget_set_visible(node->box, visible);
  gtk.gtk_widget_set_opacity(node->box, opacity);
  gtk.gtk_widget_set_overflow(node->box, clips);
  if (node->content) gtk.gtk_widget_set_sensitive(node->content, enabled);
}

static gboolean show_end(void *data) {
  object window = data;
  object adjustment = gtk.gtk_scrolled_window_get_vadjustment(window);
  gtk.gtk_adjustment_set_value(adjustment, gtk.gtk_adjustment_get_upper(adjustment));
  gtk.g_object_unref(window);
  return 0;
}

void parley_node_set_details(
  parley_node *node, int alignment, int lines, int editable, int framed, int active, int shows_end) {
  static const int justifications[] = {0, 2, 1};
  const float place = (float)alignment / 2;
  node->is_setting = 1;
  switch (node->kind) {
    case PARLEY_LABEL:
      gtk.gtk_label_set_xalign(node->inner, place);
      gtk.gtk_label_set_justify(node->inner, justifications[alignment]);
      gtk.gtk_label_set_wrap(node->inner, lines != 1);
      gtk.gtk_label_set_wrap_mode(node->inner, PANGO_WRAP_WORD_CHAR);
      gtk.gtk_label_set_lines(node->inner, lines > 1 ? lines : -1);
      gtk.gtk_label_set_ellipsize(node->inner, lines == 0 ? 0 : ELLIPSIZE_END);
      break;
    case PARLEY_BUTTON: gtk.gtk_button_set_has_frame(node->inner, framed); break;
    case PARLEY_FIELD:
      gtk.gtk_entry_set_alignment(node->inner, place);
      gtk.gtk_entry_set_has_frame(node->inner, framed);
      break;
    case PARLEY_SECRET:
      gtk.gtk_editable_set_alignment(node->inner, place);
      if (framed) gtk.gtk_widget_remove_css_class(node->inner, "flat");
      else gtk.gtk_widget_add_css_class(node->inner, "flat");
      break;
    case PARLEY_TEXT:
      gtk.gtk_text_view_set_editable(node->inner, editable);
      gtk.gtk_text_view_set_cursor_visible(node->inner, editable);
      gtk.gtk_text_view_set_justification(node->inner, justifications[alignment]);
      // The end is where it will be once the text is laid out.
      if (shows_end) gtk.g_idle_add_full(200, show_end, gtk.g_object_ref(node->content), NULL);
      break;
    case PARLEY_SWITCH: gtk.gtk_switch_set_active(node->inner, active); break;
    case PARLEY_SPINNER: gtk.gtk_spinner_set_spinning(node->inner, active); break;
    default: break;
  }
  node->is_setting = 0;
}

struct scroll {
  object window;
  double y;
};

static gboolean scroll_now(void *data) {
  struct scroll *scroll = data;
  gtk.gtk_adjustment_set_value(gtk.gtk_scrolled_window_get_vadjustment(scroll->window), scroll->y);
  gtk.g_object_unref(scroll->window);
  free(scroll);
  return 0;
}

void parley_node_scroll(parley_node *node, double y) {
  struct scroll *scroll = node->kind == PARLEY_LIST ? malloc(sizeof *scroll) : NULL;
  if (!scroll) return;
  *scroll = (struct scroll){gtk.g_object_ref(node->content), y};
  // After the rows that have just come are laid out.
  gtk.g_idle_add_full(200, scroll_now, scroll, NULL);
}

void parley_node_set_fit(parley_node *node, int fit, int mirrored) {
  if (node->kind != PARLEY_PICTURE) return;
  gtk.gtk_picture_set_content_fit(node->inner, fit);
  if (node->mirrored == mirrored) return;
  node->mirrored = mirrored;
  gtk.gtk_widget_queue_allocate(node->box);
}

void parley_node_set_pixels(
  parley_node *node, const uint8_t *pixels, int32_t width, int32_t height, int opaque, void (*release)(void *context), void *context) {
  (void)opaque;
  if (node->texture) gtk.g_object_unref(node->texture);
  node->texture = NULL;
  if ((node->kind != PARLEY_PICTURE && node->kind != PARLEY_BUTTON) || !pixels) {
    if (node->kind == PARLEY_PICTURE) gtk.gtk_picture_set_paintable(node->inner, NULL);
    if (node->kind == PARLEY_BUTTON) fill_button(node);
    if (release) release(context);
    return;
  }
  void *bytes = gtk.g_bytes_new_with_free_func(pixels, (size_t)width * (size_t)height * 4, release, context);
  object texture = gtk.gdk_memory_texture_new(width, height, FORMAT_BGRA_PREMULTIPLIED, bytes, (size_t)width * 4);
  gtk.g_bytes_unref(bytes);
  if (node->kind == PARLEY_PICTURE) {
    gtk.gtk_picture_set_paintable(node->inner, texture);
    gtk.g_object_unref(texture);
    return;
  }
  node->texture = texture;
  node->picture_width = width;
  node->picture_height = height;
  fill_button(node);
}

static gboolean drawing(object widget, object clock, void *id) {
  (void)widget;
  (void)clock;
  parley_gtk_tell((uint64_t)(uintptr_t)id, PARLEY_DRAWING, NULL, 0, 0);
  return 0;
}

void parley_node_await_drawing(parley_node *node) {
  // The id and not the node, which may be gone by then.
  gtk.gtk_widget_add_tick_callback(node->box, drawing, (void *)(uintptr_t)node->id, NULL);
}

void parley_node_focus(parley_node *node) {
  if (node->inner) gtk.gtk_widget_grab_focus(node->inner);
}
