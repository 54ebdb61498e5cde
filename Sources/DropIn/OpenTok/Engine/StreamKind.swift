import Foundation
import Parley

extension StreamKind {
  init(_ type: OTPublisherKitVideoType) { self = type == .screen ? .screen : .camera }

  var type: OTStreamVideoType { self == .camera ? .camera : .screen }
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
