import Basics
import RTC

/// A complete frame that waits in a ``VideoJitterBuffer``: where its packets are, and what they say.
struct PendingFrame: Sendable {
  /// Numbers of the first and the last packet.
  var first: Int64
  var last: Int64
  var timestamp: UInt32
  var packetCount = 0
  var byteCount = 0
  var firstArrival: Instant
  var completion: Instant
  /// Decoding can start here.
  var isKeyframe = false
  /// H.264: it brings both kinds of parameter sets.
  var hasParameterSets = false
  /// Its time contradicts what came before it.
  var isOffTimeLine = false
  /// Its time line; see ``VideoPlayoutTiming/epoch``.
  var epoch = 0
  /// The frames it needs; ``FrameLink/Kind/unknown`` for AV1 until a structure comes.
  var link: FrameLink

  /// Reads the frame whose packets are `range` of the store; nil when one of them is gone.
  init?(_ store: VideoPacketStore, _ range: ClosedRange<Int64>, codec: Codec, isEncrypted: Bool) {
    guard let head = store.slot(range.lowerBound) else { return nil }
    first = range.lowerBound
    last = range.upperBound
    timestamp = head.timestamp
    firstArrival = head.arrival
    completion = head.arrival
    link = FrameLink(kind: .unknown)
    var marks: VideoPacketStore.Marks = []
    for sequence in range {
      guard let slot = store.slot(sequence) else { return nil }
      guard !slot.marks.contains(.isPadding) else { continue }
      packetCount &+= 1
      marks.formUnion(slot.marks)
      firstArrival = min(firstArrival, slot.arrival)
      completion = max(completion, slot.arrival)
      byteCount &+= store.withPayload(sequence) { $0.count } ?? 0
    }
    switch codec {
    case .vp8: readVP8(store)
    case .vp9: readVP9(store, isEncrypted: isEncrypted)
    case .h264:
      isKeyframe = marks.contains(.isKey)
      hasParameterSets = marks.contains([.hasSPS, .hasPPS])
      link = FrameLink(kind: isKeyframe ? .nothing : .sequence, isReference: marks.contains(.isReference))
    case .av1:
      isKeyframe = marks.contains(.isKey)
      link = FrameLink(kind: isKeyframe ? .nothing : .sequence, modulus: 0x1_0000)
    default: break
    }
  }

  private mutating func readVP8(_ store: VideoPacketStore) {
    guard let read = store.withPayload(first, { try? VP8Descriptor.parse($0) }) ?? nil else { return }
    isKeyframe = read.isKeyframeStart
    let kind: FrameLink.Kind =
      isKeyframe ? .nothing : read.pictureID == nil ? .sequence : read.tl0PictureIndex == nil ? .previous : .layers
    link = FrameLink(
      kind: kind, hasNumber: read.pictureID != nil, number: read.pictureID ?? 0,
      modulus: Int64(read.pictureIDMask) &+ 1,
      tl0PictureIndex: read.tl0PictureIndex, temporalID: read.temporalID ?? 0, isLayerSync: read.isLayerSync,
      isReference: read.isReference)
  }

  private mutating func readVP9(_ store: VideoPacketStore, isEncrypted: Bool) {
    guard let read = store.withPayload(first, { try? VP9Descriptor.parse($0) }) ?? nil else { return }
    // A picture that needs no other is a key picture, or one that is intra coded for other reasons, where no decoder
    // can start. Encryption hides the difference.
    let isKey =
      read.isKeyframeStart
      && (isEncrypted
        || store.withPayload(first) { VP9FrameHeader($0, read.length..<$0.count).isKeyframe } ?? false)
    isKeyframe = isKey
    let kind: FrameLink.Kind =
      !read.isInterPicturePredicted
      ? .nothing : read.pictureID == nil ? .sequence : read.isFlexible ? .differences : .group
    link = FrameLink(
      kind: kind, hasNumber: read.pictureID != nil, number: read.pictureID ?? 0,
      modulus: Int64(read.pictureIDMask) &+ 1,
      tl0PictureIndex: read.tl0PictureIndex, temporalID: read.temporalID ?? 0, isLayerSync: read.isSwitchingUpPoint)
    guard kind == .differences else { return }
    // Each layer frame of the picture names its own.
    for sequence in first...last {
      guard let layer = store.withPayload(sequence, { try? VP9Descriptor.parse($0) }) ?? nil, layer.isFrameStart
      else { continue }
      for index in 0..<Int(layer.referenceCount) {
        link.references.append(UInt16(layer.referenceDifference(at: index)))
      }
    }
  }

  /// Reads what the dependency descriptors of an AV1 frame say, with the structure of the last keyframe. Not kept
  /// between two questions, since another keyframe may bring another structure.
  func described(_ store: VideoPacketStore, _ structure: DependencyStructure?) -> (FrameLink, DependencyStructure?) {
    var result = link
    var newest = structure
    var count = 0
    var start: UInt16 = 0
    for sequence in first...last {
      guard
        let read = store.withDescriptor(
          sequence, { try? DependencyDescriptor.parse($0, at: 0..<$0.count, current: newest) })
      else { continue }
      guard let read else { return (FrameLink(kind: .unknown, modulus: 0x1_0000), structure) }
      guard read.isFrameStart else { continue }
      if let own = read.structure { newest = own }
      if count == 0 {
        start = read.frameNumber
        result.hasNumber = true
        result.number = start
        result.kind = isKeyframe ? .nothing : .differences
        result.temporalID = read.layer?.temporal ?? 0
      }
      count &+= 1
      result.span = Int64(min(read.frameNumber &- start, 7)) &+ 1
      guard !isKeyframe else { continue }
      guard let references = read.references else { return (FrameLink(kind: .unknown, modulus: 0x1_0000), structure) }
      for index in 0..<references.count {
        // References within the superframe itself aren't references to an earlier one.
        let inside = read.frameNumber &- start
        if references[index] > inside { result.references.append(references[index] &- inside) }
      }
    }
    return (result, newest)
  }
}
