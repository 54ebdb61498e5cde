#pragma once
// The border to Cairo and Pango: text, PNG files and drawn pictures, for frames of video and for views. They are loaded
// when first used and never linked. Only their stable C interface is used, declared in Library.h, so that no headers
// are needed to build.
#include <stdint.h>

/// Loads the libraries, once. Returns null when they are ready, else a sentence about what is missing. Everything else
/// comes after it.
const char *parley_drawing_load(void);

// MARK: text

/// How much of each pixel a text covers.
typedef struct parley_text_mask {
  int32_t width, height, stride;
  uint8_t *bytes;
} parley_text_mask;

/// Sets one line of UTF-8 text, cut with an ellipsis at `maximum_width` pixels. `size` is in pixels, `bold` 0 or 1. The
/// mask's bytes are freed with parley_text_free; null when there is nothing to see.
parley_text_mask parley_text_draw(const char *text, double size, int bold, int maximum_width);
void parley_text_free(parley_text_mask *mask);

// Characters that no font of the machine has are drawn as boxes. The first one of each script is logged on standard
// error, once in a process, with the package that has the script.

/// Writes the sentence that is logged for a character.
void parley_text_hint(uint32_t character, char *sentence, uint64_t size);
/// Copies at most `capacity` of the characters that were logged. Returns how many there are.
int32_t parley_text_missing(uint32_t *characters, int32_t capacity);

// MARK: PNG files

/// Writes a PNG file of 32-bit pixels through `write`, which returns 0 when it took the bytes. The pixels are blue,
/// green, red, and the opacity by which they are multiplied when it is `translucent`. Returns 0 or an error of Cairo.
int parley_png_write(
  const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, int translucent, void *context,
  int (*write)(void *context, const uint8_t *bytes, uint32_t count));

/// Reads a PNG file into such pixels, rows without gaps; freed with free. Null when the bytes aren't a PNG file, or the
/// image is larger than 4096 pixels a side.
uint8_t *parley_png_read(const uint8_t *bytes, uint64_t count, int32_t *width, int32_t *height);

// MARK: drawing

/// An image that is being drawn. Colours are red, green, blue and opacity, 0 to 1.
typedef struct parley_canvas parley_canvas;
/// An empty image; null when there is no memory for it.
parley_canvas *parley_canvas_create(int32_t width, int32_t height);
void parley_canvas_destroy(parley_canvas *canvas);
/// The pixels of blue, green, red and opacity, and the bytes from one row to the next. Valid until it is drawn on or
/// destroyed.
const uint8_t *parley_canvas_pixels(parley_canvas *canvas, int32_t *stride);

/// Begins a part: what follows is moved by (x, y), and drawn with `opacity` when the part ends. `clip_width` below 0
/// hides nothing, else what lies outside the rectangle with rounded corners is hidden.
void parley_canvas_begin(
  parley_canvas *canvas, double x, double y, double opacity, double clip_width, double clip_height, double radius);
void parley_canvas_end(parley_canvas *canvas, double opacity);
/// Fills a rectangle with rounded corners, or draws its border when `line` is above 0.
void parley_canvas_rectangle(
  parley_canvas *canvas, double x, double y, double width, double height, double radius, double line, const double color[4]);
/// Draws an image stretched to a rectangle, `mirrored` with left and right exchanged. `translucent` is 0 when the
/// fourth byte says nothing.
void parley_canvas_picture(
  parley_canvas *canvas, const uint8_t *pixels, int32_t width, int32_t height, int translucent, int mirrored, double x, double y,
  double to_width, double to_height);

/// How text is set. `lines` of 0 is as many as it takes; `alignment` is 0 left, 1 middle, 2 right.
typedef struct parley_text_style {
  double size;
  int32_t bold, alignment, lines;
} parley_text_style;
/// Draws text into a rectangle, in the middle of its height, cut with an ellipsis. `top` puts it at the top instead.
void parley_canvas_text(
  parley_canvas *canvas, const char *text, parley_text_style style, int top, double x, double y, double width, double height,
  const double color[4]);
/// The room text takes in lines no longer than `width`, or of any length when that is below 0.
void parley_text_measure(const char *text, parley_text_style style, double width, double *out_width, double *out_height);

// MARK: pixels

/// Draws a row of pixels over another: blue, green, red, and the opacity by which they are multiplied. `columns` has
/// the byte of `from` at which each pixel begins. Needs no library.
void parley_pixels_over(const uint8_t *from, const long *columns, long count, uint8_t *to);
