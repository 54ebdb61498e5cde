#include <stdio.h>

#include "CDrawing.h"
#include "Library.h"

// Pango marks a glyph that stands for a character without a font, and has the character in the other bits.
enum { GLYPH_UNKNOWN = 0x10000000 };
enum { TYPE_CONTROL = 0, TYPE_SURROGATE = 4 };

enum { MOST_SCRIPTS = 64 };
static uint32_t scripts[MOST_SCRIPTS], characters[MOST_SCRIPTS];
static int count;

static uint32_t script_of(uint32_t character) {
  return fn.g_unicode_script_to_iso15924(fn.g_unichar_get_script(character));
}

#define CODE(text) ((uint32_t)text[0] << 24 | (uint32_t)text[1] << 16 | (uint32_t)text[2] << 8 | (uint32_t)text[3])

static int is_among(uint32_t script, const char *const *codes) {
  for (; *codes; codes++) {
    if (CODE((*codes)) == script) return 1;
  }
  return 0;
}

static const char *package_for(uint32_t character, uint32_t script) {
  static const char *const common[] = {"Latn", "Grek", "Cyrl", "Geor", "Armn", "Hebr", "Arab", NULL};
  static const char *const eastern[] = {"Hani", "Hira", "Kana", "Hang", "Bopo", NULL};
  static const char *const signs[] = {"Zyyy", "Zinh", NULL};
  static const char *const unknown[] = {"Zzzz", NULL};
  if (is_among(script, common)) return "fonts-dejavu-core";
  if (is_among(script, eastern)) return "fonts-noto-cjk";
  if (is_among(script, unknown)) return NULL;
  if (is_among(script, signs) && ((character >= 0x1F000 && character < 0x20000) || (character >= 0x2300 && character < 0x2C00)))
    return "fonts-noto-color-emoji";
  return "fonts-noto-core";
}

void parley_text_hint(uint32_t character, char *sentence, uint64_t size) {
  uint32_t script = script_of(character);
  const char *package = package_for(character, script);
  // The number alone: the character comes from others, and some move a terminal's cursor.
  int length = snprintf(
    sentence, size, "No font has U+%04X (script %c%c%c%c), so it is drawn as a box. ", character, (char)(script >> 24),
    (char)(script >> 16), (char)(script >> 8), (char)script);
  if (length < 0 || (uint64_t)length >= size) return;
  if (package) {
    snprintf(sentence + length, size - (uint64_t)length, "Install one and start again: apt-get install %s", package);
  } else {
    snprintf(sentence + length, size - (uint64_t)length, "Install a font that has it, and start again.");
  }
}

static void report(uint32_t character) {
  // Broken UTF-8 has such a mark without a character.
  if (character > 0x10FFFF) return;
  int type = fn.g_unichar_type(character);
  if (type == TYPE_CONTROL || type == TYPE_SURROGATE) return;
  uint32_t script = script_of(character);
  for (int i = 0; i < count; i++) {
    if (scripts[i] == script) return;
  }
  if (count == MOST_SCRIPTS) return;
  scripts[count] = script;
  characters[count++] = character;
  char sentence[200];
  parley_text_hint(character, sentence, sizeof sentence);
  fprintf(stderr, "Parley: %s\n", sentence);
}

void parley_drawing_report_missing(void *layout) {
  if (fn.pango_layout_get_unknown_glyphs_count(layout) == 0) return;
  void *iterator = fn.pango_layout_get_iter(layout);
  do {
    const struct glyph_item *run = fn.pango_layout_iter_get_run_readonly(iterator);
    // At the end of a line there is none.
    if (!run) continue;
    for (int i = 0; i < run->glyphs->count; i++) {
      uint32_t glyph = run->glyphs->glyphs[i].glyph;
      if (glyph & GLYPH_UNKNOWN) report(glyph & (GLYPH_UNKNOWN - 1));
    }
  } while (fn.pango_layout_iter_next_run(iterator));
  fn.pango_layout_iter_free(iterator);
}

int32_t parley_text_missing(uint32_t *out, int32_t capacity) {
  pthread_mutex_lock(&parley_drawing_lock);
  int32_t all = count;
  for (int32_t i = 0; i < all && i < capacity; i++) out[i] = characters[i];
  pthread_mutex_unlock(&parley_drawing_lock);
  return all;
}
