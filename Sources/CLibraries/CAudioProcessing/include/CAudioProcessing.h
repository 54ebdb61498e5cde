#pragma once
// The border to webrtc-audio-processing, which is C++: echo cancellation, noise suppression and gain control on 10 ms
// of 48 kHz sound.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parley_audio_processor parley_audio_processor;

/// The steps of the processing. `noise_suppression` is -1 (off) or 0 to 3.
typedef struct parley_audio_options {
  int32_t channels, echo_cancellation, noise_suppression, gain_control, high_pass;
} parley_audio_options;

/// A processor; null when the library refuses the options.
parley_audio_processor *parley_audio_processor_create(parley_audio_options options);
void parley_audio_processor_destroy(parley_audio_processor *processor);
/// Takes what the loudspeaker is about to play: 480 samples a channel, interleaved. Returns 0 or the library's error.
int parley_audio_processor_render(parley_audio_processor *processor, const int16_t *samples, int32_t channels);
/// Cleans the microphone's audio, in place. `delay` is the time in milliseconds from rendering audio to capturing its
/// echo.
int parley_audio_processor_capture(parley_audio_processor *processor, int16_t *samples, int32_t channels, int32_t delay);

#ifdef __cplusplus
}
#endif
