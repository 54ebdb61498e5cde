#include "Library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "CDrawing.h"

struct parley_drawing_functions parley_drawing;
pthread_mutex_t parley_drawing_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];
static int is_ready;

static void load(void) {
  static const char *const names[] = {
    "libgobject-2.0.so.0", "libcairo.so.2", "libpango-1.0.so.0", "libpangocairo-1.0.so.0",
  };
  void *libraries[4];
  for (int i = 0; i < 4; i++) {
    libraries[i] = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i]) {
      snprintf(problem, sizeof problem, "The library %s could not be loaded.", names[i]);
      return;
    }
  }
#define F(result, name, arguments)                                                                                   \
  for (int i = 3; i >= 0 && !fn.name; i--) *(void **)&fn.name = dlsym(libraries[i], #name);                           \
  if (!fn.name) {                                                                                                    \
    snprintf(problem, sizeof problem, "Cairo or Pango is too old: it has no %s.", #name);                             \
    return;                                                                                                          \
  }
  FUNCTIONS
#undef F
  is_ready = 1;
}

const char *parley_drawing_load(void) {
  pthread_once(&once, load);
  return is_ready ? NULL : problem;
}

void *parley_drawing_font(double size, int bold) {
  void *font = fn.pango_font_description_new();
  fn.pango_font_description_set_family(font, "Inter, Noto Sans, DejaVu Sans, Sans");
  fn.pango_font_description_set_weight(font, bold ? WEIGHT_BOLD : WEIGHT_NORMAL);
  fn.pango_font_description_set_absolute_size(font, size * SCALE_UNIT);
  return font;
}
