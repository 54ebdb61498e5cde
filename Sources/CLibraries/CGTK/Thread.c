#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "CGTK.h"
#include "Library.h"
#include "Node.h"

struct parley_gtk_functions gtk;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static enum { UNKNOWN = 0, LOADED, WAITING, RUNNING, REFUSED } state;
static void (*handler)(uint64_t, int, const char *, double, double);

/// Returns null, or a sentence about what is missing; the lock is held.
static const char *load(void) {
  static char problem[256];
  static const char *const names[] = {"libglib-2.0.so.0", "libgobject-2.0.so.0", "libgtk-4.so.1"};
  void *libraries[3];
  for (int i = 0; i < 3; i++) {
    libraries[i] = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i]) {
      snprintf(problem, sizeof problem, "The library %s could not be loaded.", names[i]);
      return problem;
    }
  }
#define F(result, name, arguments)                                                                                     \
  for (int i = 2; i >= 0 && !gtk.name; i--) *(void **)&gtk.name = dlsym(libraries[i], #name);                         \
  if (!gtk.name) {                                                                                                    \
    snprintf(problem, sizeof problem, "GTK is too old: it has no %s; 4.8 is needed.", #name);                          \
    return problem;                                                                                                    \
  }
  FUNCTIONS
#undef F
  return NULL;
}

static void *run(void *unused) {
  (void)unused;
  gtk.gtk_disable_setlocale();
  // The app's name for a screen reader, which would be "Unnamed" otherwise.
  gtk.g_set_prgname(program_invocation_short_name);
  int opened = gtk.gtk_init_check() && gtk.gdk_display_get_default();
  if (opened) parley_theme_begin();
  pthread_mutex_lock(&lock);
  state = opened ? RUNNING : REFUSED;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  while (opened) gtk.g_main_context_iteration(NULL, 1);
  return NULL;
}

int parley_gtk_start(char *error, int capacity) {
  int result = 0;
  const char *display = getenv("DISPLAY");
  // `DISPLAY= app` means none.
  if (!display || !*display) display = getenv("WAYLAND_DISPLAY");
  if (display && !*display) display = NULL;
  pthread_mutex_lock(&lock);
  // Asked first, so that GTK is not even loaded where it could show nothing.
  if (state != RUNNING && !display) {
    snprintf(error, (size_t)capacity, "Neither DISPLAY nor WAYLAND_DISPLAY is set.");
    pthread_mutex_unlock(&lock);
    return -1;
  }
  if (state == UNKNOWN) {
    const char *problem = load();
    if (problem) {
      snprintf(error, (size_t)capacity, "%s", problem);
      result = 1;
    } else {
      state = LOADED;
    }
  }
  if (state == LOADED) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    state = WAITING;
    if (pthread_create(&thread, &attributes, run, NULL) != 0) state = LOADED;
    pthread_attr_destroy(&attributes);
    while (state == WAITING) pthread_cond_wait(&changed, &lock);
  }
  if (result == 0 && state != RUNNING) {
    snprintf(error, (size_t)capacity, "The display '%s' could not be opened.", display);
    result = -1;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

struct post {
  void (*run)(void *);
  void *context;
};

static gboolean run_post(void *data) {
  struct post *post = data;
  post->run(post->context);
  return 0;
}

void parley_gtk_post(void (*run)(void *context), void *context) {
  struct post *post = malloc(sizeof *post);
  if (!post) abort();
  *post = (struct post){run, context};
  // G_PRIORITY_DEFAULT: before drawing, so that many changes make one picture.
  gtk.g_idle_add_full(0, run_post, post, free);
}

void parley_gtk_set_handler(void (*new_handler)(uint64_t, int, const char *, double, double)) { handler = new_handler; }

void parley_gtk_tell(uint64_t id, int event, const char *text, double x, double y) {
  if (handler) handler(id, event, text, x, y);
}

void parley_gtk_connect(object instance, const char *signal, void (*function)(void), void *data) {
  gtk.g_signal_connect_data(instance, signal, function, data, NULL, 0);
}

void parley_quit(int status) {
  fflush(stdout);
  fflush(stderr);
  _exit(status);
}
