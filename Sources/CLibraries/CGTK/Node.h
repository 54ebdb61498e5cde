#pragma once
#include "CGTK.h"
#include "Library.h"

struct parley_node {
  uint64_t id;
  int kind;
  /// The box, the widget that fills it, and what that scrolls if it does; the row around the box when the parent is a
  /// list.
  object box, content, inner, row;
  object box_style, content_style;
  double x, y, width, height;
  /// Of a row: what a screen reader calls it.
  char *name;
  /// Of a button with an image: its title, the image, its size, and the box that shows it now.
  char *title;
  object texture, picture;
  double picture_width, picture_height;
  int mirrored, is_row;
  /// Of a row: whether it cannot be chosen, or not be seen under the pointer.
  int is_fixed, is_plain;
  /// Whether the app changes it, so that the change isn't reported back.
  int is_setting;
  /// Called when the box gets a size; the window's root reports it.
  void (*on_allocate)(parley_node *node, int width, int height);
  int told_width, told_height;
  /// Of a window's root: the size that what is in it was laid out for; 0 while there is nothing.
  double layout_width, layout_height;
};

// A GtkTextIter is 80 bytes on 64-bit systems; there is room to spare.
typedef struct {
  uint64_t space[16];
} text_place;

/// Gives a screen reader the name of the row around a node.
void parley_node_name_row(parley_node *node);

/// Looks at the desktop's theme and follows its changes; called once, when the display is open.
void parley_theme_begin(void);

/// A layout in which views have the frames that they were given, and everything else as much room as there is.
object parley_layout(void);
