#pragma once
// The border to GStreamer 1.x, which is loaded when a file or device is first opened and never linked: a server does
// not pay for it, and an app runs without it. Only its stable C interface is used, declared in the .c file, so that no
// headers are needed to build.
#include <stdint.h>

/// Loads and initialises the library, once; later calls are cheap. Returns null when it is ready, else a sentence about
/// what is missing.
const char *parley_gst_load(void);

/// Whether a plugin that makes such elements ("v4l2src") is installed. Load first.
int parley_gst_has_element(const char *name);

// MARK: pipelines

/// A pipeline with named appsinks and appsrcs.
typedef struct parley_pipeline parley_pipeline;

/// Builds a pipeline from a description in the notation of gst-launch. It runs on the system's monotonic clock. Returns
/// null and writes a sentence when it cannot be built.
parley_pipeline *parley_pipeline_create(const char *description, char *error, int capacity);
/// Sets a property of text of the element `name`: how paths and addresses get in, so that nothing needs to be quoted.
void parley_pipeline_set(parley_pipeline *pipeline, const char *name, const char *property, const char *value);
/// Sets a property of a whole number.
void parley_pipeline_set_number(parley_pipeline *pipeline, const char *name, const char *property, int value);
/// Begins to play, or fails at once and writes a sentence. Returns 0 or -1.
int parley_pipeline_play(parley_pipeline *pipeline, char *error, int capacity);

/// The report of a pipeline.
enum parley_pipeline_event { PARLEY_NOTHING = 0, PARLEY_ENDED = 1, PARLEY_FAILED = 2, PARLEY_PLAYING = 3, PARLEY_LATENCY = 4 };
/// Waits up to `nanoseconds` for the next report; a failure's sentence is written to `error`.
int parley_pipeline_poll(parley_pipeline *pipeline, uint64_t nanoseconds, char *error, int capacity);
/// Starts again from the beginning; 0, or -1 when this medium cannot.
int parley_pipeline_rewind(parley_pipeline *pipeline);
/// Stops: its threads have ended when it returns, and waiting pulls return. Not to be called from one of its own
/// threads.
void parley_pipeline_stop(parley_pipeline *pipeline);
/// Stops if need be, and frees everything. Nobody may be pulling any more.
void parley_pipeline_destroy(parley_pipeline *pipeline);

/// A sample of an appsink: raw frames (I420), raw audio (16 bits, interleaved) or coded frames.
typedef struct parley_sample {
  const uint8_t *data;
  uint64_t size;
  /// When it is due on CLOCK_MONOTONIC in nanoseconds; -1 when unknown.
  int64_t time;
  int32_t width, height, channels, rate;
  int32_t discontinuous;
  void *handle[3];
} parley_sample;

/// An appsink or appsrc of a pipeline, by name; null when there is none. Valid until the pipeline is destroyed.
typedef struct parley_port parley_port;
parley_port *parley_pipeline_port(parley_pipeline *pipeline, const char *name);
/// Waits up to `nanoseconds` for a sample: 1 got one (release it), 0 none yet, -1 the stream has ended.
int parley_port_pull(parley_pipeline *pipeline, parley_port *port, uint64_t nanoseconds, parley_sample *out);
/// Frees the buffer of a sample.
void parley_sample_release(parley_sample *sample);
/// Hands a buffer to an appsrc, copied; `time` in nanoseconds since the first one, or -1. Returns 0, or -1 when it does
/// not take any more.
int parley_port_push(parley_port *port, const uint8_t *data, uint64_t size, int64_t time, int64_t duration);
/// Bytes that wait in an appsrc.
uint64_t parley_port_waiting(parley_port *port);
/// Ends the stream of an appsrc; the pipeline reports PARLEY_ENDED when everything has been written.
void parley_port_end(parley_port *port);

// MARK: files and devices

/// The result of examining a file or URL.
typedef struct parley_discovery {
  /// 0 is success, 1 cannot be opened, 2 isn't media, 3 took too long, 4 lacks a plugin.
  int32_t result;
  int32_t audio_streams, video_streams, width, height, seekable;
  int64_t duration;
  char detail[512];
} parley_discovery;

/// Writes the URI of a path ("file:///…"), or returns -1.
int parley_gst_uri(const char *path, char *out, int capacity);
/// Looks into a file or URL for at most `nanoseconds`. Blocks.
parley_discovery parley_gst_discover(const char *uri, uint64_t nanoseconds);

/// Calls `found` for each device of a class ("Video/Source", "Audio/Source", "Audio/Sink"): a name for people, and the
/// element and property by which it is opened ("v4l2src", "device", "/dev/video0").
void parley_gst_devices(
  const char *device_class, void *context,
  void (*found)(void *context, const char *name, const char *element, const char *property, const char *value));
