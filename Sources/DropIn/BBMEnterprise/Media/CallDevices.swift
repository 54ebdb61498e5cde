import Foundation
import Parley

/// A camera that calls can use.
struct CallCamera {
  let name: String
  let makeSource: @MainActor () -> any VideoSource
}

/// The cameras, the microphone and the speaker that calls use.
///
/// Test devices are chosen by the process's environment, since no app can name what the SDK did not have. With
/// `PARLEY_TEST_DEVICES=1` there are two cameras with a moving test video, a microphone that gives a tone, and a
/// speaker that stays silent. `PARLEY_SPEAKER_FILE` names a WAVE file that gets what would be heard.
@MainActor final class CallDevices {
  /// The front camera comes first.
  var cameras: @MainActor () async -> [CallCamera]
  var microphone: @MainActor () -> any AudioSource
  var openSpeaker: @MainActor () async throws -> any AudioSink

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard !["", "0", "no", "false"].contains(environment["PARLEY_TEST_DEVICES", default: ""].lowercased()) else {
      cameras = {
        await Task.detached { (try? MediaDevices.cameras()) ?? [] }.value.map { device in
          CallCamera(name: device.name) { CameraSource(device) }
        }
      }
      microphone = { DeferredAudioSource(MicrophoneSource()) }
      openSpeaker = { try await Task.detached { try SpeakerSink() as any AudioSink }.value }
      return
    }
    let file = environment["PARLEY_SPEAKER_FILE"]
    cameras = {
      [
        CallCamera(name: "Test picture (front)") { TestPictureSource(.waves, sourceID: 1) },
        CallCamera(name: "Test picture (back)") { TestPictureSource(.face, sourceID: 2) },
      ]
    }
    microphone = { ToneSource(frequency: 550) }
    openSpeaker = {
      guard let file else { return NullSink() }
      return try FileSink(file, tracks: .audio).audio
    }
  }
}
