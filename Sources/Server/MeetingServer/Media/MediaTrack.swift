import Basics
import RTC
import SFU
import Signaling

/// A track that a participant sends, between its description by the client and its publication.
struct MediaTrack: Sendable, Hashable {
  /// The m-section that carries it.
  var mid: String
  /// The publication that it becomes.
  var publication: String
  var source: TrackSource
  var muted: Bool
  /// Nil for a track without a name of its own.
  var name: String?

  /// The track for the media plane.
  var offer: TrackOffer {
    TrackOffer(
      mid: MID(rawValue: mid), publication: PublicationID(rawValue: publication), isMuted: muted,
      isScreenShare: source == .screen, kind: MediaKind(source.kind))
  }
}

extension MediaKind {
  init(_ kind: TrackKind) {
    switch kind {
    case .audio: self = .audio
    case .video: self = .video
    }
  }
}

extension TrackKind {
  init(_ kind: MediaKind) {
    switch kind {
    case .audio: self = .audio
    case .video: self = .video
    }
  }
}

extension SlotSize {
  /// A client's view of one of its slots.
  init(_ view: SlotView) {
    self.init(
      mid: MID(rawValue: view.mid), width: view.width, height: view.height, isPinned: view.pinned ?? false,
      maximumFrameRate: view.maxFrameRate ?? 0)
  }
}

extension WantedLayers {
  /// The layers that the receivers of the track in `mid` want together, for its sender.
  init(mid: String, _ wanted: LayersWanted) {
    self.init(
      mid: mid, active: wanted.spatial != nil, rids: wanted.streams.isEmpty ? nil : wanted.streams.map(\.rawValue),
      width: Int(wanted.width), height: Int(wanted.height))
    if let spatial = wanted.spatial, wanted.layerCount > 0 {
      spatialLayers = Int(spatial) + 1
      spatialLayerCount = Int(wanted.layerCount)
    }
    if wanted.frameRate > 0 { maxFrameRate = Int(wanted.frameRate) }
  }
}

extension OfferAnswer {
  /// The kinds of which slots were offered and rejected, since no codec of theirs can be forwarded.
  var rejectedSlots: Set<TrackKind> { Set(rejected.values.filter { $0.role == .send }.map { TrackKind($0.kind) }) }
}
