import Basics
import Encryption
import RTC
import Signaling

/// Seals what a session sends and opens what it receives, between the codecs and the payload formats. Used on the media
/// thread; buffers are used again, so that sealing allocates nothing.
final class FrameEncryption {
  let keys: KeyRing
  private(set) var counts = EncryptionStatistics()
  /// Whether keys are missing, or came, so that the deadline and what is to be done may be others.
  var isUnsettled = false
  /// The index of each own track.
  private var tracks: [MID: UInt8] = [:]
  /// Layers that have lost a frame here, and go on with a key frame.
  private var broken: Set<Layer> = []
  private var sealed: [UInt8] = []
  private var opened: [UInt8] = []

  private struct Layer: Hashable {
    let mid: MID
    let rid: RID?
  }

  init(_ keys: KeyRing) { self.keys = keys }

  // MARK: Own tracks

  /// An own track begins. One without a source that others know stays silent.
  func add(_ mid: MID, _ source: TrackSource?, now: Instant) {
    guard let source else { return }
    let track = FrameSource(source)
    tracks[mid] = track.index
    keys.setTrack(track.index, track, now: now)
    isUnsettled = true
  }

  func remove(_ mid: MID, now: Instant) {
    broken = broken.filter { $0.mid != mid }
    guard let index = tracks.removeValue(forKey: mid), !tracks.values.contains(index) else { return }
    keys.setTrack(index, nil, now: now)
    isUnsettled = true
  }

  /// The outcome of sealing a frame.
  enum Sealing {
    /// It may leave; give its bytes back with ``recycle(_:)``.
    case sealed(EncodedFrame)
    case dropped(needsKeyframe: Bool)
  }

  /// Seals a frame of an own track.
  func seal(_ frame: EncodedFrame, mid: MID, rid: RID?, now: Instant) -> Sealing {
    let isVideo = frame.codec.kind == .video
    if isVideo, !broken.isEmpty, broken.contains(Layer(mid: mid, rid: rid)), !frame.isKeyframe {
      countNotSent(.noKey)
      return .dropped(needsKeyframe: true)
    }
    var sealed = frame
    sealed.data = []
    swap(&sealed.data, &self.sealed)
    sealed.data.removeAll(keepingCapacity: true)
    do throws(FrameDrop) {
      guard let codec = FrameCodec(frame.codec) else { throw .malformed }
      guard let track = tracks[mid] else { throw .noKey }
      try keys.seal(frame.data.span, codec: codec, track: track, now: now, appendingTo: &sealed.data)
    } catch {
      swap(&sealed.data, &self.sealed)
      countNotSent(EncryptionStatistics.Reason(error))
      if isVideo { broken.insert(Layer(mid: mid, rid: rid)) }
      return .dropped(needsKeyframe: false)
    }
    if isVideo, !broken.isEmpty { broken.remove(Layer(mid: mid, rid: rid)) }
    counts.framesSealed &+= 1
    return .sealed(sealed)
  }

  /// Takes the memory of a frame that was sent.
  func recycle(_ frame: inout EncodedFrame) {
    swap(&frame.data, &sealed)
    frame.data = []
  }

  private func countNotSent(_ reason: EncryptionStatistics.Reason) { counts.framesNotSent[reason, default: 0] &+= 1 }

  // MARK: Frames of others

  /// Opens a frame in place. Browsers seal each spatial layer by itself. A frame without a key isn't counted: it may
  /// open later, or ``drop(_:)`` is to be called.
  func open(_ frame: inout EncodedFrame, from sender: ParticipantID, source: FrameSource, now: Instant) -> FrameDrop? {
    opened.removeAll(keepingCapacity: true)
    do throws(FrameDrop) {
      guard let codec = FrameCodec(frame.codec) else { throw .malformed }
      var start = 0
      for end in frame.layerEnds {
        try keys.open(
          frame.data.span.extracting(start..<end), codec: codec, from: sender, source: source, now: now,
          appendingTo: &opened)
        start = end
      }
      if start == 0 {
        try keys.open(frame.data.span, codec: codec, from: sender, source: source, now: now, appendingTo: &opened)
      }
    } catch {
      if error == .noKey { noteDropping() } else { drop(EncryptionStatistics.Reason(error)) }
      return error
    }
    frame.data.removeAll(keepingCapacity: true)
    frame.data.append(contentsOf: opened)
    frame.layerEnds = []
    if frame.codec == .vp9, frame.isKeyframe { readHeader(of: &frame) }
    noteOpened()
    return nil
  }

  /// Whether decoding can start at a VP9 frame, and its size, are known only now.
  private func readHeader(of frame: inout EncodedFrame) {
    let header = VP9FrameHeader(frame.data.span, 0..<frame.data.count)
    frame.isKeyframe = header.isKeyframe
    guard frame.width == 0, let size = header.size else { return }
    frame.width = size.width
    frame.height = size.height
  }

  /// Opens an audio packet, and gives its content to `body`.
  func open(
    _ packet: Span<UInt8>, from sender: ParticipantID, source: FrameSource, now: Instant, _ body: (Span<UInt8>) -> Void
  ) {
    var plain: [UInt8] = []
    swap(&plain, &opened)
    defer { swap(&plain, &opened) }
    plain.removeAll(keepingCapacity: true)
    do throws(FrameDrop) {
      try keys.open(packet, codec: .opaque, from: sender, source: source, now: now, appendingTo: &plain)
    } catch {
      return drop(EncryptionStatistics.Reason(error))
    }
    noteOpened()
    body(plain.span)
  }

  /// Counts a frame that is not played.
  func drop(_ reason: EncryptionStatistics.Reason) {
    counts.framesDropped[reason, default: 0] &+= 1
    if reason == .replayed { wasDropping = true } else { noteDropping() }
  }

  private func noteDropping() {
    isUnsettled = true
    wasDropping = true
  }

  private var wasDropping = false

  private func noteOpened() {
    counts.framesOpened &+= 1
    guard wasDropping else { return }
    wasDropping = false
    isUnsettled = true
  }
}

extension FrameSource {
  /// The source of a publication.
  init(_ source: TrackSource) {
    self =
      switch source {
      case .microphone: .microphone
      case .camera: .camera
      case .screen: .screen
      case .screenAudio: .screenAudio
      }
  }

  /// The index of an own track with this source, as browsers number them.
  fileprivate var index: UInt8 {
    switch self {
    case .microphone: 0
    case .camera: 1
    case .screen: 2
    case .screenAudio: 3
    case .data, .chat: KeyRing.messageTrack
    }
  }
}

extension FrameCodec {
  /// The form of a codec's frames; nil for what is never sent alone.
  init?(_ codec: Codec) {
    switch codec {
    case .opus, .vp9: self = .opaque
    case .vp8: self = .vp8
    case .h264: self = .h264
    case .av1: self = .av1
    case .red, .pcmu, .pcma, .telephoneEvent, .rtx: return nil
    }
  }
}
