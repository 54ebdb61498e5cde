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
