#include "CAudioProcessing.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

// What the library's pkg-config file defines.
#ifndef WEBRTC_POSIX
#define WEBRTC_POSIX
#endif
#ifndef WEBRTC_AUDIO_PROCESSING_ONLY_BUILD
#define WEBRTC_AUDIO_PROCESSING_ONLY_BUILD
#endif
#include "webrtc/modules/audio_processing/include/audio_processing.h"

namespace {
constexpr int rate = 48000;
constexpr int count = 480;

/// Interleaved 16-bit samples as the planes of floats that the library wants.
struct Planes {
  float samples[2][count];
  float *pointers[2] = {samples[0], samples[1]};

  void read(const int16_t *in, int channels) {
    for (int c = 0; c < channels; c++)
      for (int i = 0; i < count; i++) samples[c][i] = static_cast<float>(in[i * channels + c]) / 32768.0f;
  }

  void write(int16_t *out, int channels) const {
    for (int c = 0; c < channels; c++)
      for (int i = 0; i < count; i++) {
        float value = std::max(-32768.0f, std::min(32767.0f, samples[c][i] * 32768.0f));
        out[i * channels + c] = static_cast<int16_t>(std::lrint(value));
      }
  }
};
}  // namespace

struct parley_audio_processor {
  std::unique_ptr<webrtc::AudioProcessing> engine;
  // Rendering and capturing happen on two threads; each has its own planes, and the engine locks itself.
  Planes render, capture;
};

parley_audio_processor *parley_audio_processor_create(parley_audio_options options) {
  webrtc::Config config;
  // Delays of sound systems are guesses: let the canceller find the true one, in a longer window.
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
  std::unique_ptr<webrtc::AudioProcessing> engine(webrtc::AudioProcessing::Create(config));
  if (!engine) return nullptr;
  webrtc::StreamConfig stream(rate, options.channels);
  webrtc::ProcessingConfig processing;
  processing.input_stream() = stream;
  processing.output_stream() = stream;
  processing.reverse_input_stream() = stream;
  processing.reverse_output_stream() = stream;
  int error = engine->Initialize(processing);
  error |= engine->high_pass_filter()->Enable(options.high_pass != 0);
  if (options.echo_cancellation) {
    error |= engine->echo_cancellation()->enable_drift_compensation(false);
    error |= engine->echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kHighSuppression);
    error |= engine->echo_cancellation()->Enable(true);
  }
  if (options.noise_suppression >= 0) {
    error |= engine->noise_suppression()->set_level(
      static_cast<webrtc::NoiseSuppression::Level>(std::min(options.noise_suppression, 3)));
    error |= engine->noise_suppression()->Enable(true);
  }
  if (options.gain_control) {
    error |= engine->gain_control()->set_mode(webrtc::GainControl::kAdaptiveDigital);
    error |= engine->gain_control()->enable_limiter(true);
    error |= engine->gain_control()->Enable(true);
  }
  if (error != 0) return nullptr;
  auto *processor = new (std::nothrow) parley_audio_processor;
  if (processor) processor->engine = std::move(engine);
  return processor;
}

void parley_audio_processor_destroy(parley_audio_processor *processor) { delete processor; }

int parley_audio_processor_render(parley_audio_processor *processor, const int16_t *samples, int32_t channels) {
  if (channels < 1 || channels > 2) return -1;
  processor->render.read(samples, channels);
  webrtc::StreamConfig stream(rate, channels);
  return processor->engine->ProcessReverseStream(processor->render.pointers, stream, stream, processor->render.pointers);
}

int parley_audio_processor_capture(
  parley_audio_processor *processor, int16_t *samples, int32_t channels, int32_t delay) {
  if (channels < 1 || channels > 2) return -1;
  processor->capture.read(samples, channels);
  webrtc::StreamConfig stream(rate, channels);
  processor->engine->set_stream_delay_ms(std::max(0, std::min(delay, 500)));
  int error =
    processor->engine->ProcessStream(processor->capture.pointers, stream, stream, processor->capture.pointers);
  if (error == 0) processor->capture.write(samples, channels);
  return error;
}
