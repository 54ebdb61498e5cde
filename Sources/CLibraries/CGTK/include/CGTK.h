#pragma once
// The border to GTK 4 for windows. It is loaded when the first window opens and never linked: views without a window
// run without GTK. Only its stable C interface is used, declared in Library.h, so that no headers are needed to build.
#include <stdint.h>

// Everything below parley_gtk_post is called on GTK's thread only.

/// Loads GTK, starts its thread and opens the display; later calls are cheap. Returns 0, 1 when the library is missing
/// or -1 when there is no display, and writes a sentence.
int parley_gtk_start(char *error, int capacity);
/// Calls `run` on GTK's thread, in the order of the calls.
void parley_gtk_post(void (*run)(void *context), void *context);
/// Whether the desktop's theme is dark, once the display is open; any thread.
int parley_gtk_is_dark(void);
/// Makes the theme of all windows light (1) or dark (2), or leaves it as the desktop has it (0).
void parley_gtk_set_style(int style);
/// Ends the process at once, threads and all; any thread. `exit` would first take libraries apart, while the threads of
/// windows and of media still use them. Of the C streams only the standard ones are flushed: all of them would wait for
/// a thread that reads a line.
__attribute__((noreturn)) void parley_quit(int status);

enum parley_event {
  PARLEY_CLICKED = 1,      // a button
  PARLEY_SWITCHED,         // a switch; x is its value
  PARLEY_EDITED,           // a field or text; text is the new one
  PARLEY_RETURNED,         // the return key in a field
  PARLEY_FOCUSED,          // typing begins
  PARLEY_UNFOCUSED,        // typing ends
  PARLEY_ROW,              // a row of a list; x is its place
  PARLEY_RESIZED,          // a window; x and y are its size
  PARLEY_CLOSED,           // a window
  PARLEY_ACTIVE,           // a window; whether it has the focus is x
  PARLEY_MINIMIZED,        // a window; whether nothing of it is shown is x
  PARLEY_TOUCH_BEGAN, PARLEY_TOUCH_MOVED, PARLEY_TOUCH_ENDED, PARLEY_TOUCH_CANCELLED,  // in a window, at x and y
  PARLEY_KEY_DOWN, PARLEY_KEY_UP,  // in a window; text is what it types, x the modifiers as GDK has them
  PARLEY_POINTED,          // in a window: the place of the next turn of the wheel, at x and y
  PARLEY_SCROLLED,         // in a window: the wheel was turned by x and y clicks
  PARLEY_THEME,            // the desktop; whether its theme is dark now is x
  PARLEY_DRAWING,          // a node whose window is about to be drawn, once after parley_node_await_drawing
};
/// Hears events, on GTK's thread. `text` is valid for the call.
void parley_gtk_set_handler(void (*handler)(uint64_t id, int event, const char *text, double x, double y));

enum parley_kind {
  PARLEY_PLAIN = 0, PARLEY_LABEL, PARLEY_BUTTON, PARLEY_FIELD, PARLEY_TEXT, PARLEY_SWITCH, PARLEY_SPINNER, PARLEY_PICTURE, PARLEY_LIST,
  PARLEY_SECRET,  // a field whose text is neither seen nor spoken
};
/// A view on the screen: a box, and a widget in it for its content.
typedef struct parley_node parley_node;
parley_node *parley_node_create(uint64_t id, int kind);
/// Takes it off the screen and frees it. Its children must have been placed elsewhere or destroyed.
void parley_node_destroy(parley_node *node);
/// Puts it into a parent, in front of `sibling`, or behind all when that is null.
void parley_node_place(parley_node *node, parley_node *parent, parley_node *sibling);
void parley_node_set_frame(parley_node *node, double x, double y, double width, double height);
/// The style of the box and of the content, as CSS declarations.
void parley_node_set_style(parley_node *node, const char *box, const char *content);
void parley_node_set_text(parley_node *node, const char *text);
void parley_node_set_placeholder(parley_node *node, const char *text);
/// The name for a screen reader; null for none. Call it after its text was set, which names labels and buttons.
void parley_node_set_accessible(parley_node *node, const char *label);
/// Whether it is called so, for tests; GTK_A11Y must be `test`.
int parley_node_is_named(parley_node *node, const char *label);
/// The role for a screen reader, as GTK numbers roles, and whether nothing else can be used while it is shown; call it
/// before it is shown.
void parley_node_set_role(parley_node *node, int role, int is_modal);
/// The role of its content, or of itself when it has none.
int parley_node_role(parley_node *node);
/// Of a row of a list: whether it can be chosen, and whether it is seen when the pointer is over it.
void parley_node_set_row(parley_node *node, int can_be_chosen, int is_highlighted);
/// Reports PARLEY_DRAWING when the window is drawn next.
void parley_node_await_drawing(parley_node *node);
/// Whether the focus and a screen reader can go there, and into what is in it. A focus that is there leaves.
void parley_node_set_reachable(parley_node *node, int reachable);
void parley_node_set_look(parley_node *node, int visible, double opacity, int clips, int enabled);
/// Alignment and lines of text; whether it is secret, can be edited, is framed; whether a switch is on or a spinner
/// turns; whether the end of a text is in sight.
void parley_node_set_details(
  parley_node *node, int alignment, int lines, int editable, int framed, int active, int shows_end);
/// Scrolls a list.
void parley_node_scroll(parley_node *node, double y);
/// How an image fits its view: 0 stretched, 1 whole, 2 filling.
void parley_node_set_fit(parley_node *node, int fit, int mirrored);
/// Shows pixels in an image or on a button, of blue, green, red and opacity, without a copy: `release` is called with
/// `context` when they are not needed any more, on any thread. Null shows nothing. `opaque` says that the fourth byte
/// is always 255.
void parley_node_set_pixels(
  parley_node *node, const uint8_t *pixels, int32_t width, int32_t height, int opaque, void (*release)(void *context), void *context);
void parley_node_focus(parley_node *node);

/// A window of the desktop.
typedef struct parley_window parley_window;
parley_window *parley_window_create(uint64_t id, const char *title, int32_t width, int32_t height);
/// The node that fills it.
parley_node *parley_window_root(parley_window *window);
void parley_window_set_title(parley_window *window, const char *title);
void parley_window_set_size(parley_window *window, int32_t width, int32_t height);
/// The size that it has, or was made with.
void parley_window_get_size(parley_window *window, int32_t *width, int32_t *height);
/// The size that the nodes in it were laid out for; 0 for none. While the window has another one they are stretched.
void parley_window_set_layout_size(parley_window *window, double width, double height);
void parley_window_unfocus(parley_window *window);
void parley_window_destroy(parley_window *window);
/// The window as GTK draws it: pixels of blue, green, red and opacity, freed with free; null when there is nothing yet.
uint8_t *parley_window_pixels(parley_window *window, int32_t *width, int32_t *height);
