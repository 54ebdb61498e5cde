// The library expects its own folder to be searched for headers; a package cannot say so without its linker flags.
#include <webrtc_audio_processing/webrtc/base/checks.h>
