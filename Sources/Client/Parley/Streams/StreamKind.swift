/// The unit that drop-in modules count as one stream: a camera with its microphone, or a screen with its audio.
package enum StreamKind: String, CaseIterable, Sendable {
  case camera
  case screen

  package var video: TrackSource { self == .camera ? .camera : .screen }
  package var audio: TrackSource { self == .camera ? .microphone : .screenAudio }

  /// The stream's id, the same for every client of the meeting.
  package func id(_ participant: String) -> String { "\(participant).\(rawValue)" }
}
