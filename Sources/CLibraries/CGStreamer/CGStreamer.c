#include "CGStreamer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The parts of the GStreamer 1.0 and GLib 2 interfaces that are used. Both promise that functions, numbers and the
// layouts below stay as they are for all releases of the series. Everything else is opaque.

typedef int gboolean;
typedef uint64_t GstClockTime;
#define GST_CLOCK_TIME_NONE ((GstClockTime)-1)

typedef struct {
  uint32_t domain;
  int code;
  char *message;
} GError;
typedef struct GList {
  void *data;
  struct GList *next, *previous;
} GList;
typedef struct {
  uintptr_t type;
  int reference_count, lock_state;
  unsigned flags;
  void *copy, *dispose, *free;
  unsigned private_count;
  void *private_pointer;
} GstMiniObject;
typedef struct {
  GstMiniObject base;
  void *pool;
  GstClockTime pts, dts, duration;
  uint64_t offset, offset_end;
} GstBuffer;
typedef struct {
  GstMiniObject base;
  int type;
  uint64_t timestamp;
  void *source;
} GstMessage;
typedef struct {
  void *memory;
  int flags;
  uint8_t *data;
  size_t size, maximum;
  void *user_data[4];
  void *reserved[4];
} GstMapInfo;

enum { STATE_NULL = 1, STATE_READY, STATE_PAUSED, STATE_PLAYING };
enum { CHANGE_FAILURE = 0, CHANGE_SUCCESS, CHANGE_ASYNC, CHANGE_NO_PREROLL };
enum { MESSAGE_EOS = 1 << 0, MESSAGE_ERROR = 1 << 1, MESSAGE_STATE_CHANGED = 1 << 6, MESSAGE_LATENCY = 1 << 19,
       MESSAGE_ASYNC_DONE = 1 << 21 };
enum { FORMAT_TIME = 3, SEEK_FLUSH = 1, MAP_READ = 1, BUFFER_DISCONT = 1 << 6 };

#define FUNCTIONS                                                                                                    \
  F(gboolean, gst_init_check, (int *, char ***, GError **))                                                           \
  F(void, gst_registry_fork_set_enabled, (gboolean))                                                                  \
  F(void *, gst_parse_launch, (const char *, GError **))                                                              \
  F(void *, gst_bin_get_by_name, (void *, const char *))                                                              \
  F(int, gst_element_set_state, (void *, int))                                                                        \
  F(int, gst_element_get_state, (void *, int *, int *, GstClockTime))                                                 \
  F(void *, gst_element_get_bus, (void *))                                                                            \
  F(GstClockTime, gst_element_get_base_time, (void *))                                                                \
  F(gboolean, gst_element_seek_simple, (void *, int, int, int64_t))                                                   \
  F(void *, gst_element_factory_find, (const char *))                                                                 \
  F(void *, gst_element_get_factory, (void *))                                                                        \
  F(char *, gst_object_get_name, (void *))                                                                            \
  F(void *, gst_system_clock_obtain, (void))                                                                          \
  F(void, gst_pipeline_use_clock, (void *, void *))                                                                   \
  F(gboolean, gst_bin_recalculate_latency, (void *))                                                                  \
  F(GstMessage *, gst_bus_timed_pop_filtered, (void *, GstClockTime, int))                                            \
  F(void, gst_message_parse_error, (GstMessage *, GError **, char **))                                                \
  F(void, gst_message_parse_state_changed, (GstMessage *, int *, int *, int *))                                       \
  F(void, gst_mini_object_unref, (void *))                                                                            \
  F(void, gst_object_unref, (void *))                                                                                 \
  F(void *, gst_sample_get_buffer, (void *))                                                                          \
  F(void *, gst_sample_get_caps, (void *))                                                                            \
  F(void *, gst_sample_get_segment, (void *))                                                                         \
  F(uint64_t, gst_segment_to_running_time, (void *, int, uint64_t))                                                   \
  F(void *, gst_caps_get_structure, (void *, unsigned))                                                               \
  F(gboolean, gst_structure_get_int, (void *, const char *, int *))                                                   \
  F(const char *, gst_structure_get_string, (void *, const char *))                                                   \
  F(gboolean, gst_buffer_map, (void *, GstMapInfo *, int))                                                            \
  F(void, gst_buffer_unmap, (void *, GstMapInfo *))                                                                   \
  F(void *, gst_buffer_new_allocate, (void *, size_t, void *))                                                        \
  F(size_t, gst_buffer_fill, (void *, size_t, const void *, size_t))                                                  \
  F(char *, gst_filename_to_uri, (const char *, GError **))                                                           \
  F(void *, gst_device_monitor_new, (void))                                                                           \
  F(unsigned, gst_device_monitor_add_filter, (void *, const char *, void *))                                          \
  F(gboolean, gst_device_monitor_start, (void *))                                                                     \
  F(void, gst_device_monitor_stop, (void *))                                                                          \
  F(GList *, gst_device_monitor_get_devices, (void *))                                                                \
  F(char *, gst_device_get_display_name, (void *))                                                                    \
  F(void *, gst_device_create_element, (void *, const char *))                                                        \
  F(void *, gst_app_sink_try_pull_sample, (void *, GstClockTime))                                                     \
  F(gboolean, gst_app_sink_is_eos, (void *))                                                                          \
  F(int, gst_app_src_push_buffer, (void *, void *))                                                                   \
  F(int, gst_app_src_end_of_stream, (void *))                                                                         \
  F(uint64_t, gst_app_src_get_current_level_bytes, (void *))                                                          \
  F(void *, gst_discoverer_new, (GstClockTime, GError **))                                                            \
  F(void *, gst_discoverer_discover_uri, (void *, const char *, GError **))                                           \
  F(int, gst_discoverer_info_get_result, (void *))                                                                    \
  F(GList *, gst_discoverer_info_get_audio_streams, (void *))                                                         \
  F(GList *, gst_discoverer_info_get_video_streams, (void *))                                                         \
  F(void, gst_discoverer_stream_info_list_free, (GList *))                                                            \
  F(unsigned, gst_discoverer_video_info_get_width, (void *))                                                          \
  F(unsigned, gst_discoverer_video_info_get_height, (void *))                                                         \
  F(GstClockTime, gst_discoverer_info_get_duration, (void *))                                                         \
  F(gboolean, gst_discoverer_info_get_seekable, (void *))                                                             \
  F(const char **, gst_discoverer_info_get_missing_elements_installer_details, (void *))                              \
  F(void, g_object_set, (void *, const char *, ...))                                                                  \
  F(void, g_object_get, (void *, const char *, ...))                                                                  \
  F(void *, g_object_class_find_property, (void *, const char *))                                                     \
  F(void, g_object_unref, (void *))                                                                                   \
  F(const char *, g_quark_to_string, (uint32_t))                                                                      \
  F(void, g_error_free, (GError *))                                                                                   \
  F(void, g_free, (void *))                                                                                           \
  F(void, g_list_free, (GList *))                                                                                     \
  F(void, g_thread_pool_stop_unused_threads, (void))                                                                  \
  F(void, g_thread_pool_set_max_idle_time, (unsigned))

static struct {
#define F(result, name, arguments) result(*name) arguments;
  FUNCTIONS
#undef F
} gst;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];
static int is_ready;

static void load(void) {
  static const char *const names[] = {
    "libglib-2.0.so.0",      "libgobject-2.0.so.0", "libgstreamer-1.0.so.0",
    "libgstapp-1.0.so.0", "libgstpbutils-1.0.so.0",
  };
  void *libraries[5];
  for (int i = 0; i < 5; i++) {
    libraries[i] = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i]) {
      snprintf(problem, sizeof problem, "The library %s could not be loaded.", names[i]);
      return;
    }
  }
#define F(result, name, arguments)                                                                                   \
  for (int i = 4; i >= 0 && !gst.name; i--) *(void **)&gst.name = dlsym(libraries[i], #name);                         \
  if (!gst.name) {                                                                                                   \
    snprintf(problem, sizeof problem, "GStreamer is too old: it has no %s.", #name);                                  \
    return;                                                                                                          \
  }
  FUNCTIONS
#undef F
  // Looking for plugins in a child process would make a child of every program that opens a file.
  gst.gst_registry_fork_set_enabled(0);
  GError *error = NULL;
  if (!gst.gst_init_check(NULL, NULL, &error)) {
    snprintf(problem, sizeof problem, "GStreamer does not start: %s", error ? error->message : "no reason given");
    if (error) gst.g_error_free(error);
    return;
  }
  // GLib keeps the threads of finished pipelines for fifteen seconds, in case. A caller who stops a source wants them
  // gone.
  gst.g_thread_pool_set_max_idle_time(250);
  is_ready = 1;
}

const char *parley_gst_load(void) {
  pthread_once(&once, load);
  return is_ready ? NULL : problem;
}

int parley_gst_has_element(const char *name) {
  void *factory = gst.gst_element_factory_find(name);
  if (factory) gst.gst_object_unref(factory);
  return factory != NULL;
}

// MARK: pipelines

#define PORTS 4

struct parley_port {
  void *element;
};

struct parley_pipeline {
  void *element, *bus;
  struct parley_port ports[PORTS];
  int port_count;
};

static void copy_text(char *out, int capacity, const char *text) {
  if (capacity > 0) snprintf(out, (size_t)capacity, "%s", text ? text : "");
}

// The meaning of an error for people, by its domain and code, which are part of GStreamer's stable interface; its own
// words are for authors of pipelines.
static const char *meaning(const GError *error) {
  static const char *const resource[] = {
    [1] = "it does not answer",
    [3] = "it is not there",
    [4] = "another program is using it",
    [5] = "it could not be opened",
    [6] = "it could not be opened",
    [7] = "it could not be opened",
    [8] = "it could not be closed",
    [9] = "reading from it broke off",
    [10] = "writing to it broke off",
    [11] = "it cannot be played from another place",
    [13] = "it does not offer the size, the rate or the format that is wanted",
    [14] = "the disk is full",
    [15] = "this program is not allowed to use it",
  };
  static const char *const stream[] = {
    [1] = "nothing comes from it, or it breaks off",
    [3] = "nothing that is installed can play it",
    [4] = "its format is not known",
    [5] = "its format is another than was expected",
    [6] = "nothing that is installed can decode it",
    [7] = "what is in it is damaged and cannot be decoded",
    [8] = "it could not be encoded",
    [9] = "it is damaged",
    [10] = "it could not be put together",
    [11] = "its format is not one that can be played",
    [12] = "it is encrypted",
    [13] = "it is encrypted",
  };
  static const char *const core[] = {
    [7] = "it gives a format that nothing here takes",
    [12] = "a part of GStreamer that it needs is not installed",
  };
  static const struct {
    const char *domain;
    const char *const *texts;
    int count;
  } tables[] = {
    {"gst-resource-error-quark", resource, sizeof resource / sizeof *resource},
    {"gst-stream-error-quark", stream, sizeof stream / sizeof *stream},
    {"gst-core-error-quark", core, sizeof core / sizeof *core},
  };
  const char *domain = gst.g_quark_to_string(error->domain);
  for (int i = 0; domain && i < 3; i++) {
    if (strcmp(domain, tables[i].domain) || error->code < 0 || error->code >= tables[i].count) continue;
    if (tables[i].texts[error->code]) return tables[i].texts[error->code];
  }
  return "GStreamer gave up on it";
}

// A sentence about an error: what it means, and in parentheses what the library says.
static void copy_failure(char *out, int capacity, const GError *error) {
  if (!error) {
    copy_text(out, capacity, "no reason is known.");
    return;
  }
  const char *detail = error->message ? error->message : "";
  int length = (int)strnlen(detail, 240);
  // Not in the middle of a character of several bytes.
  while (length > 0 && ((unsigned char)detail[length] & 0xC0) == 0x80) length--;
  while (length > 0 && (detail[length - 1] == '.' || detail[length - 1] == '\n' || detail[length - 1] == ' ')) length--;
  if (capacity > 0)
    snprintf(out, (size_t)capacity, length ? "%s (%.*s)." : "%s.", meaning(error), length, detail);
}

parley_pipeline *parley_pipeline_create(const char *description, char *error, int capacity) {
  GError *failure = NULL;
  void *element = gst.gst_parse_launch(description, &failure);
  if (failure || !element) {
    copy_text(error, capacity, failure ? failure->message : "it cannot be built");
    if (failure) gst.g_error_free(failure);
    if (element) gst.gst_object_unref(element);
    return NULL;
  }
  parley_pipeline *pipeline = calloc(1, sizeof *pipeline);
  if (!pipeline) abort();
  pipeline->element = element;
  pipeline->bus = gst.gst_element_get_bus(element);
  void *clock = gst.gst_system_clock_obtain();
  gst.gst_pipeline_use_clock(element, clock);
  gst.gst_object_unref(clock);
  return pipeline;
}

void parley_pipeline_set(parley_pipeline *pipeline, const char *name, const char *property, const char *value) {
  void *element = gst.gst_bin_get_by_name(pipeline->element, name);
  if (!element) return;
  gst.g_object_set(element, property, value, NULL);
  gst.gst_object_unref(element);
}

void parley_pipeline_set_number(parley_pipeline *pipeline, const char *name, const char *property, int value) {
  void *element = gst.gst_bin_get_by_name(pipeline->element, name);
  if (!element) return;
  gst.g_object_set(element, property, value, NULL);
  gst.gst_object_unref(element);
}

int parley_pipeline_play(parley_pipeline *pipeline, char *error, int capacity) {
  if (gst.gst_element_set_state(pipeline->element, STATE_PLAYING) != CHANGE_FAILURE) return 0;
  // The reason lies on the bus, among other messages.
  copy_text(error, capacity, "it does not start.");
  for (int i = 0; i < 50; i++) {
    int event = parley_pipeline_poll(pipeline, 1000000, error, capacity);
    if (event == PARLEY_FAILED) break;
  }
  return -1;
}

int parley_pipeline_poll(parley_pipeline *pipeline, uint64_t nanoseconds, char *error, int capacity) {
  GstMessage *message = gst.gst_bus_timed_pop_filtered(
    pipeline->bus, nanoseconds, MESSAGE_EOS | MESSAGE_ERROR | MESSAGE_STATE_CHANGED | MESSAGE_LATENCY);
  if (!message) return PARLEY_NOTHING;
  int event = PARLEY_LATENCY;
  if (message->type == MESSAGE_EOS) event = PARLEY_ENDED;
  if (message->type == MESSAGE_LATENCY) gst.gst_bin_recalculate_latency(pipeline->element);
  if (message->type == MESSAGE_STATE_CHANGED && message->source == pipeline->element) {
    int before, now, pending;
    gst.gst_message_parse_state_changed(message, &before, &now, &pending);
    if (now == STATE_PLAYING) event = PARLEY_PLAYING;
  }
  if (message->type == MESSAGE_ERROR) {
    GError *failure = NULL;
    gst.gst_message_parse_error(message, &failure, NULL);
    copy_failure(error, capacity, failure);
    if (failure) gst.g_error_free(failure);
    event = PARLEY_FAILED;
  }
  gst.gst_mini_object_unref(message);
  return event;
}

int parley_pipeline_rewind(parley_pipeline *pipeline) {
  return gst.gst_element_seek_simple(pipeline->element, FORMAT_TIME, SEEK_FLUSH, 0) ? 0 : -1;
}

void parley_pipeline_stop(parley_pipeline *pipeline) { gst.gst_element_set_state(pipeline->element, STATE_NULL); }

void parley_pipeline_destroy(parley_pipeline *pipeline) {
  gst.gst_element_set_state(pipeline->element, STATE_NULL);
  for (int i = 0; i < pipeline->port_count; i++) gst.gst_object_unref(pipeline->ports[i].element);
  gst.gst_object_unref(pipeline->bus);
  gst.gst_object_unref(pipeline->element);
  free(pipeline);
  gst.g_thread_pool_stop_unused_threads();
}

parley_port *parley_pipeline_port(parley_pipeline *pipeline, const char *name) {
  if (pipeline->port_count == PORTS) return NULL;
  void *element = gst.gst_bin_get_by_name(pipeline->element, name);
  if (!element) return NULL;
  parley_port *port = &pipeline->ports[pipeline->port_count++];
  port->element = element;
  return port;
}

int parley_port_pull(parley_pipeline *pipeline, parley_port *port, uint64_t nanoseconds, parley_sample *out) {
  void *sample = gst.gst_app_sink_try_pull_sample(port->element, nanoseconds);
  if (!sample) return gst.gst_app_sink_is_eos(port->element) ? -1 : 0;
  memset(out, 0, sizeof *out);
  out->time = -1;
  GstBuffer *buffer = gst.gst_sample_get_buffer(sample);
  GstMapInfo *map = calloc(1, sizeof *map);
  if (!map) abort();
  if (!buffer || !gst.gst_buffer_map(buffer, map, MAP_READ)) {
    free(map);
    gst.gst_mini_object_unref(sample);
    return 0;
  }
  out->data = map->data;
  out->size = map->size;
  out->discontinuous = (buffer->base.flags & (BUFFER_DISCONT)) != 0;
  void *segment = gst.gst_sample_get_segment(sample);
  if (buffer->pts != GST_CLOCK_TIME_NONE && segment) {
    uint64_t running = gst.gst_segment_to_running_time(segment, FORMAT_TIME, buffer->pts);
    if (running != GST_CLOCK_TIME_NONE)
      out->time = (int64_t)(running + gst.gst_element_get_base_time(pipeline->element));
  }
  void *caps = gst.gst_sample_get_caps(sample);
  void *structure = caps ? gst.gst_caps_get_structure(caps, 0) : NULL;
  if (structure) {
    gst.gst_structure_get_int(structure, "width", &out->width);
    gst.gst_structure_get_int(structure, "height", &out->height);
    gst.gst_structure_get_int(structure, "channels", &out->channels);
    gst.gst_structure_get_int(structure, "rate", &out->rate);
  }
  out->handle[0] = sample;
  out->handle[1] = buffer;
  out->handle[2] = map;
  return 1;
}

void parley_sample_release(parley_sample *sample) {
  gst.gst_buffer_unmap(sample->handle[1], sample->handle[2]);
  free(sample->handle[2]);
  gst.gst_mini_object_unref(sample->handle[0]);
}

int parley_port_push(parley_port *port, const uint8_t *data, uint64_t size, int64_t time, int64_t duration) {
  GstBuffer *buffer = gst.gst_buffer_new_allocate(NULL, size, NULL);
  if (!buffer) return -1;
  gst.gst_buffer_fill(buffer, 0, data, size);
  if (time >= 0) {
    buffer->pts = buffer->dts = (GstClockTime)time;
    buffer->dts = GST_CLOCK_TIME_NONE;
  }
  if (duration >= 0) buffer->duration = (GstClockTime)duration;
  return gst.gst_app_src_push_buffer(port->element, buffer) == 0 ? 0 : -1;
}

uint64_t parley_port_waiting(parley_port *port) { return gst.gst_app_src_get_current_level_bytes(port->element); }

void parley_port_end(parley_port *port) { gst.gst_app_src_end_of_stream(port->element); }

// MARK: files and devices

int parley_gst_uri(const char *path, char *out, int capacity) {
  char *uri = gst.gst_filename_to_uri(path, NULL);
  if (!uri || strlen(uri) >= (size_t)capacity) {
    gst.g_free(uri);
    return -1;
  }
  copy_text(out, capacity, uri);
  gst.g_free(uri);
  return 0;
}

parley_discovery parley_gst_discover(const char *uri, uint64_t nanoseconds) {
  parley_discovery out;
  memset(&out, 0, sizeof out);
  out.result = 1;
  GError *error = NULL;
  void *discoverer = gst.gst_discoverer_new(nanoseconds, &error);
  if (!discoverer) {
    copy_failure(out.detail, sizeof out.detail, error);
    if (error) gst.g_error_free(error);
    return out;
  }
  void *info = gst.gst_discoverer_discover_uri(discoverer, uri, &error);
  if (error) copy_failure(out.detail, sizeof out.detail, error);
  enum { OK, URI_INVALID, ERROR, TIMEOUT, BUSY, MISSING_PLUGINS };
  int result = info ? gst.gst_discoverer_info_get_result(info) : ERROR;
  if (info) {
    GList *audio = gst.gst_discoverer_info_get_audio_streams(info);
    GList *video = gst.gst_discoverer_info_get_video_streams(info);
    for (GList *i = audio; i; i = i->next) out.audio_streams++;
    for (GList *i = video; i; i = i->next) out.video_streams++;
    if (video) {
      out.width = (int32_t)gst.gst_discoverer_video_info_get_width(video->data);
      out.height = (int32_t)gst.gst_discoverer_video_info_get_height(video->data);
    }
    gst.gst_discoverer_stream_info_list_free(audio);
    gst.gst_discoverer_stream_info_list_free(video);
    out.seekable = gst.gst_discoverer_info_get_seekable(info);
    GstClockTime duration = gst.gst_discoverer_info_get_duration(info);
    out.duration = duration == GST_CLOCK_TIME_NONE ? -1 : (int64_t)duration;
  }
  switch (result) {
    case OK: out.result = 0; break;
    case TIMEOUT:
    case BUSY: out.result = 3; break;
    case MISSING_PLUGINS: {
      out.result = 4;
      const char **details = gst.gst_discoverer_info_get_missing_elements_installer_details(info);
      // "gstreamer|1.0|program|H.264 decoder|decoder-video/x-h264, …": the fourth part is for people.
      const char *text = details && details[0] ? details[0] : "";
      for (int i = 0; i < 3 && text; i++) text = strchr(text, '|') ? strchr(text, '|') + 1 : NULL;
      copy_text(out.detail, sizeof out.detail, text ? text : "");
      // A PDF file lacks a plugin too, in a way.
      if (!strstr(out.detail, "video/") && !strstr(out.detail, "audio/")) out.result = 2;
      int is_unknown_scheme = strstr(out.detail, "urisource-") != NULL;
      char *end = strchr(out.detail, '|');
      if (end) *end = 0;
      if (out.result == 2) {
        char name[128];
        snprintf(name, sizeof name, "%.127s", out.detail);
        snprintf(out.detail, sizeof out.detail, "it would need a %s, which is not among the base and good plugins.", name);
        if (is_unknown_scheme) out.result = 1;
      }
      break;
    }
    default: {
      // A resource that cannot be read, or a stream inside it that is not understood.
      const char *domain = error ? gst.g_quark_to_string(error->domain) : NULL;
      int is_stream = domain && !strcmp(domain, "gst-stream-error-quark");
      // A source that broke off says so too (code 1, "failed"), sometimes before the error that has the reason.
      int has_broken_off = is_stream && error->code == 1 && strncmp(uri, "file:", 5) != 0;
      out.result = is_stream && !has_broken_off ? 2 : 1;
    }
  }
  if (error) gst.g_error_free(error);
  if (info) gst.g_object_unref(info);
  gst.g_object_unref(discoverer);
  gst.g_thread_pool_stop_unused_threads();
  return out;
}

void parley_gst_devices(
  const char *device_class, void *context,
  void (*found)(void *context, const char *name, const char *element, const char *property, const char *value)) {
  void *monitor = gst.gst_device_monitor_new();
  gst.gst_device_monitor_add_filter(monitor, device_class, NULL);
  int started = gst.gst_device_monitor_start(monitor);
  GList *devices = started ? gst.gst_device_monitor_get_devices(monitor) : NULL;
  for (GList *i = devices; i; i = i->next) {
    char *name = gst.gst_device_get_display_name(i->data);
    void *element = gst.gst_device_create_element(i->data, NULL);
    if (name && element) {
      char *factory = gst.gst_object_get_name(gst.gst_element_get_factory(element));
      // PipeWire's elements say "target-object", all others "device".
      static const char *const properties[] = {"target-object", "path", "device"};
      for (int p = 0; p < 3; p++) {
        if (!gst.g_object_class_find_property(*(void **)element, properties[p])) continue;
        char *value = NULL;
        gst.g_object_get(element, properties[p], &value, NULL);
        if (value) {
          found(context, name, factory, properties[p], value);
          gst.g_free(value);
          break;
        }
      }
      gst.g_free(factory);
    }
    if (element) gst.gst_object_unref(element);
    gst.g_free(name);
    gst.gst_object_unref(i->data);
  }
  gst.g_list_free(devices);
  if (started) gst.gst_device_monitor_stop(monitor);
  gst.gst_object_unref(monitor);
  gst.g_thread_pool_stop_unused_threads();
}
