import Foundation
import Parley

/// The unit that OpenTok counts as one stream: a camera with its microphone, or a screen with its audio.
enum StreamKind: String, CaseIterable, Sendable {
  case camera
  case screen

  init(_ type: OTPublisherKitVideoType) { self = type == .screen ? .screen : .camera }

  var video: TrackSource { self == .camera ? .camera : .screen }
  var audio: TrackSource { self == .camera ? .microphone : .screenAudio }
  var type: OTStreamVideoType { self == .camera ? .camera : .screen }

  /// The stream's id, the same for every client of the session.
  func id(_ participant: String) -> String { "\(participant).\(rawValue)" }
}

/// A stream of the session, and whose it is.
struct StreamEntry {
  let stream: OTStream
  let participant: String
  let kind: StreamKind
}

/// The present tracks of a stream.
struct StreamFacts {
  var isThere = false
  var hasAudio = false
  var hasVideo = false
  var name: String?
  /// When the server took its first track; nil from servers that do not say.
  var created: Date?
}
