#pragma once
// webrtc-audio-processing is C++; CAudioProcessing includes its headers and gives it a C interface. This module only tells where they are.
