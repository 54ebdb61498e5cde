#include <stdlib.h>

#include "CGTK.h"
#include "Library.h"
#include "Node.h"

enum { ROLE_PROGRESS_BAR = 44, POLICY_AUTOMATIC = 1, POLICY_NEVER = 2, WRAP_WORD_CHAR = 3, ELLIPSIZE_END = 3, PROVIDER_USER = 800, SELECTION_NONE = 0 };
static const char *const KEY = "parley";

// MARK: layout

static void measure(object widget, int orientation, int for_size, int *minimum, int *natural, int *a, int *b) {
  (void)for_size;
  parley_node *node = gtk.g_object_get_data(widget, KEY);
  // Views have the size they were given. Only a row of a list asks for room; the window may become as small as it
  // likes.
  *minimum = *natural = node && node->is_row ? (orientation ? (int)node->height : 0) : 0;
  *a = *b = -1;
}

static void allocate(object widget, int width, int height, int baseline) {
  (void)baseline;
  parley_node *node = gtk.g_object_get_data(widget, KEY);
  if (node && node->on_allocate) node->on_allocate(node, width, height);
  // Content that was laid out for another size is stretched over this one until it is laid out again: a gap next to it
  // would be seen as a flash.
  int is_stretched = node && node->layout_width > 0 && node->layout_height > 0 && (node->layout_width != width || node->layout_height != height);
  for (object child = gtk.gtk_widget_get_first_child(widget); child; child = gtk.gtk_widget_get_next_sibling(child)) {
    if (!gtk.gtk_widget_should_layout(child)) continue;
    parley_node *view = gtk.g_object_get_data(child, KEY);
    int unused, minimum;
    gtk.gtk_widget_measure(child, 0, -1, &minimum, &unused, &unused, &unused);
    float at[2] = {0, 0};
    double w = width, h = height;
    void *transform = NULL;
    if (view) {
      at[0] = (float)view->x;
      at[1] = (float)view->y;
      w = view->width;
      h = view->height;
    } else if (node && node->mirrored) {
      at[0] = (float)width;
    }
    gtk.gtk_widget_measure(child, 1, (int)w > minimum ? (int)w : minimum, &unused, &unused, &unused, &unused);
    if (is_stretched) transform = gtk.gsk_transform_scale(NULL, (float)(width / node->layout_width), (float)(height / node->layout_height));
    if (at[0] != 0 || at[1] != 0) transform = gtk.gsk_transform_translate(transform, at);
    if (!view && node && node->mirrored) transform = gtk.gsk_transform_scale(transform, -1, 1);
    gtk.gtk_widget_allocate(child, (int)(w + 0.5), (int)(h + 0.5), -1, transform);
  }
}

object parley_layout(void) { return gtk.gtk_custom_layout_new(NULL, measure, allocate); }

// MARK: signals

static void clicked(object widget, parley_node *node) {
  (void)widget;
  parley_gtk_tell(node->id, PARLEY_CLICKED, NULL, 0, 0);
}

static void switched(object widget, void *spec, parley_node *node) {
  (void)spec;
  if (!node->is_setting) parley_gtk_tell(node->id, PARLEY_SWITCHED, NULL, gtk.gtk_switch_get_active(widget), 0);
}

static void edited(object widget, parley_node *node) {
  if (!node->is_setting) parley_gtk_tell(node->id, PARLEY_EDITED, gtk.gtk_editable_get_text(widget), 0, 0);
}

static void returned(object widget, parley_node *node) {
  (void)widget;
  parley_gtk_tell(node->id, PARLEY_RETURNED, NULL, 0, 0);
}

static void text_edited(object buffer, parley_node *node) {
  if (node->is_setting) return;
  text_place start, end;
  gtk.gtk_text_buffer_get_bounds(buffer, &start, &end);
  char *text = gtk.gtk_text_buffer_get_text(buffer, &start, &end, 0);
  parley_gtk_tell(node->id, PARLEY_EDITED, text, 0, 0);
  gtk.g_free(text);
}

static void focused(object controller, parley_node *node) {
  (void)controller;
  parley_gtk_tell(node->id, PARLEY_FOCUSED, NULL, 0, 0);
}

static void unfocused(object controller, parley_node *node) {
  (void)controller;
  parley_gtk_tell(node->id, PARLEY_UNFOCUSED, NULL, 0, 0);
}

static void row_chosen(object list, object row, parley_node *node) {
  (void)list;
  parley_gtk_tell(node->id, PARLEY_ROW, NULL, gtk.gtk_list_box_row_get_index(row), 0);
}

// MARK: making

static object provider(object widget) {
  object provider = gtk.gtk_css_provider_new();
  gtk.gtk_style_context_add_provider(gtk.gtk_widget_get_style_context(widget), provider, PROVIDER_USER);
  return provider;
}

/// Rules that only a style of the whole display reaches: the part of a text that holds the letters, which takes colour
/// and background of the view; and rows that are not seen under the pointer.
static void style_display(void) {
  static int is_done;
  if (is_done) return;
  is_done = 1;
  object provider = gtk.gtk_css_provider_new();
  gtk.gtk_css_provider_load_from_data(
    provider,
    "textview.parley > text { background-color: transparent; color: inherit; } row.parley-plain { background: none; transition: none; }", -1);
  gtk.gtk_style_context_add_provider_for_display(gtk.gdk_display_get_default(), provider, PROVIDER_USER);
  gtk.g_object_unref(provider);
}

static void watch_focus(parley_node *node) {
  object controller = gtk.gtk_event_controller_focus_new();
  parley_gtk_connect(controller, "enter", (void (*)(void))focused, node);
  parley_gtk_connect(controller, "leave", (void (*)(void))unfocused, node);
  gtk.gtk_widget_add_controller(node->inner, controller);
}

static object scrolling(object child) {
  object window = gtk.gtk_scrolled_window_new();
  gtk.gtk_scrolled_window_set_policy(window, POLICY_NEVER, POLICY_AUTOMATIC);
  gtk.gtk_scrolled_window_set_child(window, child);
  return window;
}

// A hyphen in a broken word, such as an address or an error's name, would be read as a part of it.
static void break_without_hyphens(object label) {
  void *list = gtk.pango_attr_list_new();
  gtk.pango_attr_list_insert(list, gtk.pango_attr_insert_hyphens_new(0));
  gtk.gtk_label_set_attributes(label, list);
  gtk.pango_attr_list_unref(list);
}

static void make_content(parley_node *node) {
  switch (node->kind) {
    case PARLEY_LABEL:
      node->inner = gtk.gtk_label_new("");
      gtk.gtk_label_set_ellipsize(node->inner, ELLIPSIZE_END);
      break_without_hyphens(node->inner);
      break;
    case PARLEY_BUTTON:
      node->inner = gtk.gtk_button_new_with_label("");
      parley_gtk_connect(node->inner, "clicked", (void (*)(void))clicked, node);
      break;
    case PARLEY_FIELD:
    case PARLEY_SECRET:
      // Only what GTK knows as a field for passwords is one to a screen reader.
      node->inner = node->kind == PARLEY_SECRET ? gtk.gtk_password_entry_new() : gtk.gtk_entry_new();
      parley_gtk_connect(node->inner, "changed", (void (*)(void))edited, node);
      parley_gtk_connect(node->inner, "activate", (void (*)(void))returned, node);
      watch_focus(node);
      break;
    case PARLEY_TEXT:
      node->inner = gtk.gtk_text_view_new();
      gtk.gtk_text_view_set_wrap_mode(node->inner, WRAP_WORD_CHAR);
      // The tab key leads on from here, too: it was caught in a text.
      gtk.g_object_set(node->inner, "accepts-tab", 0, (char *)NULL);
      style_display();
      gtk.gtk_widget_add_css_class(node->inner, "parley");
      parley_gtk_connect(gtk.gtk_text_view_get_buffer(node->inner), "changed", (void (*)(void))text_edited, node);
      watch_focus(node);
      node->content = scrolling(node->inner);
      break;
    case PARLEY_SWITCH:
      node->inner = gtk.gtk_switch_new();
      parley_gtk_connect(node->inner, "notify::active", (void (*)(void))switched, node);
      break;
    case PARLEY_SPINNER:
      node->inner = gtk.gtk_spinner_new();
      // GTK calls it a widget of no kind.
      gtk.g_object_set(node->inner, "accessible-role", ROLE_PROGRESS_BAR, (char *)NULL);
      break;
    case PARLEY_PICTURE:
      node->inner = gtk.gtk_picture_new();
      gtk.gtk_picture_set_can_shrink(node->inner, 1);
      break;
    case PARLEY_LIST:
      style_display();
      node->inner = gtk.gtk_list_box_new();
      gtk.gtk_list_box_set_selection_mode(node->inner, SELECTION_NONE);
      parley_gtk_connect(node->inner, "row-activated", (void (*)(void))row_chosen, node);
      node->content = scrolling(node->inner);
      break;
    default: return;
  }
  if (!node->content) node->content = node->inner;
  gtk.gtk_widget_insert_after(node->content, node->box, NULL);
  if (node->kind == PARLEY_LABEL || node->kind == PARLEY_PICTURE || node->kind == PARLEY_SPINNER)
    gtk.gtk_widget_set_can_target(node->content, 0);
  node->content_style = provider(node->inner);
}

parley_node *parley_node_create(uint64_t id, int kind) {
  parley_node *node = calloc(1, sizeof *node);
  if (!node) abort();
  node->id = id;
  node->kind = kind;
  node->box = gtk.g_object_ref_sink(gtk.gtk_box_new(0, 0));
  gtk.g_object_set_data(node->box, KEY, node);
  gtk.gtk_widget_set_layout_manager(node->box, parley_layout());
  node->box_style = provider(node->box);
  make_content(node);
  return node;
}

/// Takes the box, and the row around it, out of its parent.
static void detach(parley_node *node) {
  if (node->row) {
    gtk.gtk_list_box_row_set_child(node->row, NULL);
    object list = gtk.gtk_widget_get_parent(node->row);
    if (list) gtk.gtk_list_box_remove(list, node->row);
    node->row = NULL;
    node->is_row = 0;
  } else if (gtk.gtk_widget_get_parent(node->box)) {
    gtk.gtk_widget_unparent(node->box);
  }
}

void parley_node_destroy(parley_node *node) {
  detach(node);
  gtk.g_object_set_data(node->box, KEY, NULL);
  if (node->content) gtk.gtk_widget_unparent(node->content);
  if (node->content_style) gtk.g_object_unref(node->content_style);
  if (node->texture) gtk.g_object_unref(node->texture);
  free(node->title);
  free(node->name);
  gtk.g_object_unref(node->box_style);
  gtk.g_object_unref(node->box);
  free(node);
}

static void look_of_row(parley_node *node) {
  if (!node->row) return;
  // A row that cannot be chosen isn't a stop of the tab key either.
  gtk.gtk_list_box_row_set_activatable(node->row, !node->is_fixed);
  gtk.gtk_widget_set_focusable(node->row, !node->is_fixed);
  if (node->is_plain) gtk.gtk_widget_add_css_class(node->row, "parley-plain");
  else gtk.gtk_widget_remove_css_class(node->row, "parley-plain");
}

void parley_node_set_row(parley_node *node, int can_be_chosen, int is_highlighted) {
  node->is_fixed = !can_be_chosen;
  node->is_plain = !is_highlighted;
  look_of_row(node);
}

void parley_node_place(parley_node *node, parley_node *parent, parley_node *sibling) {
  if (parent->kind == PARLEY_LIST) {
    int index = sibling && sibling->row ? gtk.gtk_list_box_row_get_index(sibling->row) + 1 : 0;
    if (node->row && gtk.gtk_widget_get_parent(node->row) == parent->inner && gtk.gtk_list_box_row_get_index(node->row) == index) return;
    detach(node);
    node->row = gtk.gtk_list_box_row_new();
    node->is_row = 1;
    gtk.gtk_widget_add_css_class(node->row, "parley-row");
    object style = provider(node->row);
    gtk.gtk_css_provider_load_from_data(style, "* { padding: 0; min-height: 0; }", -1);
    gtk.g_object_unref(style);
    look_of_row(node);
    if (node->name) parley_node_name_row(node);
    gtk.gtk_list_box_row_set_child(node->row, node->box);
    gtk.gtk_list_box_insert(parent->inner, node->row, index);
    return;
  }
  object after = sibling ? sibling->box : parent->content;
  if (!node->row && gtk.gtk_widget_get_parent(node->box) == parent->box && gtk.gtk_widget_get_prev_sibling(node->box) == after) return;
  // Inserting moves a widget that is in this parent already; it need not go and come back, which would make it flash
  // and lose its focus.
  if (node->row || gtk.gtk_widget_get_parent(node->box) != parent->box) detach(node);
  gtk.gtk_widget_insert_after(node->box, parent->box, after);
}
