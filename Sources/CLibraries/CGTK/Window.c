#include <stdlib.h>

#include "CGTK.h"
#include "Library.h"
#include "Node.h"

enum { SCROLL_BOTH_AXES = 3 };

struct parley_window {
  uint64_t id;
  object widget;
  parley_node *root;
  /// The pointer's place.
  double x, y;
};

static void resized(parley_node *root, int width, int height) {
  if (root->told_width == width && root->told_height == height) return;
  root->told_width = width;
  root->told_height = height;
  parley_gtk_tell(root->id, PARLEY_RESIZED, NULL, width, height);
}

// The bits of GdkToplevelState.
enum { MINIMIZED = 1 << 0, SUSPENDED = 1 << 16 };

// The objects may outlive the window: they get its id. Without a window manager only GTK knows which window has the
// focus.
static void activity_changed(object widget, void *property, void *id) {
  (void)property;
  int is_active = 0;
  gtk.g_object_get(widget, "is-active", &is_active, NULL);
  parley_gtk_tell((uint64_t)(uintptr_t)id, PARLEY_ACTIVE, NULL, is_active, 0);
}

static void state_changed(object surface, void *property, void *id) {
  (void)property;
  int state = 0;
  gtk.g_object_get(surface, "state", &state, NULL);
  parley_gtk_tell((uint64_t)(uintptr_t)id, PARLEY_MINIMIZED, NULL, (state & (MINIMIZED | SUSPENDED)) != 0, 0);
}

static gboolean close_asked(object widget, parley_window *window) {
  (void)widget;
  parley_gtk_tell(window->id, PARLEY_CLOSED, NULL, 0, 0);
  // The app closes it.
  return 1;
}

static void drag_began(object gesture, double x, double y, parley_window *window) {
  (void)gesture;
  parley_gtk_tell(window->id, PARLEY_TOUCH_BEGAN, NULL, x, y);
}

static void drag(object gesture, double x, double y, parley_window *window, int event) {
  double from_x = 0, from_y = 0;
  gtk.gtk_gesture_drag_get_start_point(gesture, &from_x, &from_y);
  parley_gtk_tell(window->id, event, NULL, from_x + x, from_y + y);
}

static void drag_moved(object gesture, double x, double y, parley_window *window) { drag(gesture, x, y, window, PARLEY_TOUCH_MOVED); }
static void drag_ended(object gesture, double x, double y, parley_window *window) { drag(gesture, x, y, window, PARLEY_TOUCH_ENDED); }

static void drag_cancelled(object gesture, void *sequence, parley_window *window) {
  (void)gesture;
  (void)sequence;
  parley_gtk_tell(window->id, PARLEY_TOUCH_CANCELLED, NULL, 0, 0);
}

static void pointed(object controller, double x, double y, parley_window *window) {
  (void)controller;
  window->x = x;
  window->y = y;
}

static gboolean scrolled(object controller, double x, double y, parley_window *window) {
  (void)controller;
  parley_gtk_tell(window->id, PARLEY_POINTED, NULL, window->x, window->y);
  parley_gtk_tell(window->id, PARLEY_SCROLLED, NULL, x, y);
  return 1;
}

static void key(unsigned value, int modifiers, parley_window *window, int event) {
  uint32_t code = gtk.gdk_keyval_to_unicode(value);
  char text[5] = {0};
  if (code && code < 0x80) text[0] = (char)code;
  else if (code && code < 0x800) text[0] = (char)(0xC0 | code >> 6), text[1] = (char)(0x80 | (code & 0x3F));
  else if (code && code < 0x10000)
    text[0] = (char)(0xE0 | code >> 12), text[1] = (char)(0x80 | (code >> 6 & 0x3F)), text[2] = (char)(0x80 | (code & 0x3F));
  else if (code)
    text[0] = (char)(0xF0 | code >> 18), text[1] = (char)(0x80 | (code >> 12 & 0x3F)), text[2] = (char)(0x80 | (code >> 6 & 0x3F)),
    text[3] = (char)(0x80 | (code & 0x3F));
  parley_gtk_tell(window->id, event, text, modifiers, 0);
}

static gboolean key_pressed(object controller, unsigned value, unsigned code, int modifiers, parley_window *window) {
  (void)controller;
  (void)code;
  key(value, modifiers, window, PARLEY_KEY_DOWN);
  return 0;
}

static void key_released(object controller, unsigned value, unsigned code, int modifiers, parley_window *window) {
  (void)controller;
  (void)code;
  key(value, modifiers, window, PARLEY_KEY_UP);
}

parley_window *parley_window_create(uint64_t id, const char *title, int32_t width, int32_t height) {
  parley_window *window = calloc(1, sizeof *window);
  if (!window) abort();
  window->id = id;
  window->widget = gtk.gtk_window_new();
  window->root = parley_node_create(id, PARLEY_PLAIN);
  window->root->on_allocate = resized;
  window->root->told_width = width;
  window->root->told_height = height;
  gtk.gtk_window_set_title(window->widget, title);
  gtk.gtk_window_set_default_size(window->widget, width, height);
  gtk.gtk_window_set_child(window->widget, window->root->box);
  parley_gtk_connect(window->widget, "close-request", (void (*)(void))close_asked, window);
  object gesture = gtk.gtk_gesture_drag_new();
  parley_gtk_connect(gesture, "drag-begin", (void (*)(void))drag_began, window);
  parley_gtk_connect(gesture, "drag-update", (void (*)(void))drag_moved, window);
  parley_gtk_connect(gesture, "drag-end", (void (*)(void))drag_ended, window);
  parley_gtk_connect(gesture, "cancel", (void (*)(void))drag_cancelled, window);
  gtk.gtk_widget_add_controller(window->root->box, gesture);
  object motion = gtk.gtk_event_controller_motion_new();
  parley_gtk_connect(motion, "enter", (void (*)(void))pointed, window);
  parley_gtk_connect(motion, "motion", (void (*)(void))pointed, window);
  gtk.gtk_widget_add_controller(window->root->box, motion);
  // Widgets that scroll by themselves handle the wheel before it comes here.
  object wheel = gtk.gtk_event_controller_scroll_new(SCROLL_BOTH_AXES);
  parley_gtk_connect(wheel, "scroll", (void (*)(void))scrolled, window);
  gtk.gtk_widget_add_controller(window->root->box, wheel);
  object keys = gtk.gtk_event_controller_key_new();
  parley_gtk_connect(keys, "key-pressed", (void (*)(void))key_pressed, window);
  parley_gtk_connect(keys, "key-released", (void (*)(void))key_released, window);
  gtk.gtk_widget_add_controller(window->widget, keys);
  parley_gtk_connect(window->widget, "notify::is-active", (void (*)(void))activity_changed, (void *)(uintptr_t)id);
  gtk.gtk_window_present(window->widget);
  object surface = gtk.gtk_native_get_surface(window->widget);
  if (surface) parley_gtk_connect(surface, "notify::state", (void (*)(void))state_changed, (void *)(uintptr_t)id);
  return window;
}

parley_node *parley_window_root(parley_window *window) { return window->root; }
void parley_window_set_title(parley_window *window, const char *title) { gtk.gtk_window_set_title(window->widget, title); }
void parley_window_set_size(parley_window *window, int32_t width, int32_t height) {
  gtk.gtk_window_set_default_size(window->widget, width, height);
}
void parley_window_get_size(parley_window *window, int32_t *width, int32_t *height) {
  *width = window->root->told_width;
  *height = window->root->told_height;
}
void parley_window_set_layout_size(parley_window *window, double width, double height) {
  parley_node *root = window->root;
  if (root->layout_width == width && root->layout_height == height) return;
  root->layout_width = width;
  root->layout_height = height;
  gtk.gtk_widget_queue_allocate(root->box);
}
void parley_window_unfocus(parley_window *window) { gtk.gtk_window_set_focus(window->widget, NULL); }

void parley_window_destroy(parley_window *window) {
  gtk.gtk_window_set_child(window->widget, NULL);
  parley_node_destroy(window->root);
  gtk.gtk_window_destroy(window->widget);
  free(window);
}

uint8_t *parley_window_pixels(parley_window *window, int32_t *width, int32_t *height) {
  object box = window->root->box;
  *width = gtk.gtk_widget_get_width(box);
  *height = gtk.gtk_widget_get_height(box);
  object native = gtk.gtk_widget_get_native(box);
  object renderer = native ? gtk.gtk_native_get_renderer(native) : NULL;
  if (!renderer || *width <= 0 || *height <= 0) return NULL;
  object paintable = gtk.gtk_widget_paintable_new(window->widget);
  object snapshot = gtk.gtk_snapshot_new();
  gtk.gdk_paintable_snapshot(paintable, snapshot, *width, *height);
  void *node = gtk.gtk_snapshot_free_to_node(snapshot);
  gtk.g_object_unref(paintable);
  if (!node) return NULL;
  object texture = gtk.gsk_renderer_render_texture(renderer, node, NULL);
  gtk.gsk_render_node_unref(node);
  *width = gtk.gdk_texture_get_width(texture);
  *height = gtk.gdk_texture_get_height(texture);
  uint8_t *pixels = calloc((size_t)*width * (size_t)*height, 4);
  if (pixels) gtk.gdk_texture_download(texture, pixels, (size_t)*width * 4);
  gtk.g_object_unref(texture);
  return pixels;
}
