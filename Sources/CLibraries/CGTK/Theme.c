// Whether the theme is light or dark: the desktop's, and what an app asks for instead.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "CGTK.h"
#include "Library.h"
#include "Node.h"

// GTK's own place for the theme is that of settings, 400; those of apps begin at 600, and a person's own style is at
// 800.
enum { PROVIDER_ABOVE_THEME = 401 };
enum { AS_THE_DESKTOP = 0, LIGHT = 1, DARK = 2 };

static object cover, probe;
static int asked;
static atomic_int desktop_is_dark;

/// Whether the theme writes with a light colour; `cover` must not lie over it.
static int looks_dark(void) {
  float color[4] = {0, 0, 0, 1};
  gtk.gtk_style_context_lookup_color(gtk.gtk_widget_get_style_context(probe), "theme_fg_color", color);
  return 0.3f * color[0] + 0.6f * color[1] + 0.1f * color[2] > 0.5f;
}

/// Whether the person has chosen the theme of high contrast, which a light app must not take from them.
static int has_high_contrast(void) {
  char *name = NULL;
  const char *forced = getenv("GTK_THEME");
  if (!forced || !*forced) gtk.g_object_get(gtk.gtk_settings_get_default(), "gtk-theme-name", &name, NULL);
  const char *theme = forced && *forced ? forced : name ? name : "";
  int found = strstr(theme, "HighContrast") || strstr(theme, ":hc") || strstr(theme, "-hc");
  gtk.g_free(name);
  return found;
}

static void arrange(void) {
  object display = gtk.gdk_display_get_default();
  if (cover) {
    gtk.gtk_style_context_remove_provider_for_display(display, cover);
    gtk.g_object_unref(cover);
    cover = NULL;
  }
  int is_dark = looks_dark();
  if (atomic_exchange(&desktop_is_dark, is_dark) != is_dark) parley_gtk_tell(0, PARLEY_THEME, NULL, is_dark, 0);
  if (asked == AS_THE_DESKTOP || (asked == DARK) == is_dark) return;
  // GTK's own theme of the other kind. The desktop's may have none, and the variable GTK_THEME lets no other one be
  // set.
  cover = gtk.gtk_css_provider_new();
  const char *variant = asked == DARK ? "dark" : NULL;
  if (has_high_contrast()) variant = asked == DARK ? "hc-dark" : "hc";
  gtk.gtk_css_provider_load_named(cover, "Default", variant);
  gtk.gtk_style_context_add_provider_for_display(display, cover, PROVIDER_ABOVE_THEME);
}

static void theme_changed(object settings, void *property, void *unused) {
  (void)settings, (void)property, (void)unused;
  arrange();
}

void parley_theme_begin(void) {
  probe = gtk.g_object_ref_sink(gtk.gtk_label_new(""));
  atomic_store(&desktop_is_dark, looks_dark());
  object settings = gtk.gtk_settings_get_default();
  parley_gtk_connect(settings, "notify::gtk-theme-name", (void (*)(void))theme_changed, NULL);
  parley_gtk_connect(settings, "notify::gtk-application-prefer-dark-theme", (void (*)(void))theme_changed, NULL);
}

int parley_gtk_is_dark(void) { return atomic_load(&desktop_is_dark); }

void parley_gtk_set_style(int style) {
  if (style == asked) return;
  asked = style;
  arrange();
}
