import RTC

/// Remembers the decoded frames, and so whether a frame's references are there.
///
/// Rules by codec:
/// - VP8: by `PictureID`, or by TL0PICIDX and layer sync with temporal layers (RFC 7741 section 4.2).
/// - VP9: by frame differences or the group of frames (RFC 9628 sections 4.2 and 4.2.1).
/// - AV1: by the dependency descriptor (AOM, appendix A).
/// - H.264, and AV1 without descriptor: by sequence numbers without gaps since the keyframe.
///
/// When in doubt the answer is no. Cost: constant per frame; memory: 256 numbers.
struct FrameDependencyTracker: Sendable {
  /// Whether a keyframe was decoded since the start or ``invalidate()``.
  private(set) var hasStarted = false
  /// The number of the last frame in decode order, unwrapped.
  private var last: Int64 = 0
  /// The last frame up to which nothing that others need is missing, for `.previous`.
  private var lastIntact: Int64 = 0
  /// Whether every packet since the keyframe was there, for `.sequence`.
  private var isSequenceIntact = false
  /// TL0PICIDX of the last decoded frame of layer 0; nil when the stream has none.
  private var tl0: UInt8?
  /// Bit n: nothing of layer n is missing since the last point where one could move up to it.
  private var intactLayers: UInt8 = 0
  /// Decoded numbers, unwrapped, each in its place modulo 256.
  private var decoded = [Int64](repeating: .min, count: 256)
  private var group: VP9PictureGroup?
  private var groupStart: Int64 = 0

  /// After this only a keyframe can be decoded.
  mutating func invalidate() {
    hasStarted = false
    isSequenceIntact = false
    tl0 = nil
    intactLayers = 0
  }

  /// Whether everything that the frame refers to was decoded.
  /// - Parameter missing: How many sequence numbers without a packet given to decoding lie between the last decoded or
  ///   dropped frame and this one.
  func canDecode(_ link: FrameLink, isKeyframe: Bool, missing: Int64) -> Bool {
    if isKeyframe { return true }
    guard hasStarted else { return false }
    switch resolved(link) {
    case .nothing: return true
    case .sequence: return isSequenceIntact && missing == 0
    case .previous:
      return unwrap(link) == lastIntact &+ 1 && missing < link.modulus &- 1
    case .layers: return canDecodeLayer(link, missing)
    case .differences: return areDecoded(link.references, link)
    case .group:
      guard let picture = groupPicture(link) else { return false }
      return areDecoded(picture.references, link)
    case .unknown: return false
    }
  }

  /// Takes note that the frame goes to the decoder.
  mutating func decode(_ link: FrameLink, isKeyframe: Bool, missing: Int64, group newGroup: VP9PictureGroup? = nil) {
    if isKeyframe {
      hasStarted = true
      isSequenceIntact = true
      for index in decoded.indices { decoded[index] = .min }
      // Room below for what a hostile number could be unwrapped to.
      last = 1 << 32 | Int64(link.number)
      lastIntact = link.hasNumber ? last &+ link.span &- 1 : .min
      tl0 = link.tl0PictureIndex
      // Behind a keyframe no layer has anything of its own yet, so nothing of it is missing.
      intactLayers = .max
      group = newGroup
      groupStart = last
    } else {
      if let newGroup {
        group = newGroup
        groupStart = unwrap(link)
      }
      noteOrder(link, missing)
      guard link.hasNumber else { return }
      let number = unwrap(link)
      if number == lastIntact &+ 1 || link.kind == .nothing { lastIntact = number &+ link.span &- 1 }
      last = number
      if let index = link.tl0PictureIndex, link.temporalID == 0 { tl0 = index }
      if link.isLayerSync { intactLayers |= 1 << min(link.temporalID, 7) }
    }
    guard link.hasNumber else { return }
    for offset in 0..<max(min(link.span, 8), 1) {
      let number = last &+ offset
      decoded[Int(number & 0xFF)] = number
    }
    last = last &+ max(link.span, 1) &- 1
  }

  /// Takes note that a frame, complete or in part, does not go to the decoder although later ones may.
  mutating func drop(_ link: FrameLink, missing: Int64) {
    guard hasStarted else { return }
    noteOrder(link, missing)
    guard link.hasNumber else {
      // The layer of the missing frame is unknown.
      if link.isReference || link.kind == .unknown { isSequenceIntact = false }
      if link.kind == .unknown { intactLayers = 0 }
      return
    }
    let number = unwrap(link)
    if link.isReference {
      isSequenceIntact = false
      let layer = min(link.temporalID, 7)
      // Frames of its own and of higher layers may need it.
      intactLayers &= UInt8(truncatingIfNeeded: (1 << UInt16(layer)) &- 1)
    } else if number == lastIntact &+ 1 {
      lastIntact = number
    }
    if number > last { last = number }
  }

  /// Takes note of what is missing in front of the frame. Consecutive numbers prove that it was padding.
  private mutating func noteOrder(_ link: FrameLink, _ missing: Int64) {
    guard missing > 0 else { return }
    isSequenceIntact = false
    if !link.hasNumber || unwrap(link) != last &+ 1 || missing >= link.modulus &- 1 { intactLayers = 0 }
  }

  private func resolved(_ link: FrameLink) -> FrameLink.Kind {
    guard link.kind == .group, group == nil else { return link.kind }
    return link.tl0PictureIndex == nil ? .previous : .layers
  }

  private func canDecodeLayer(_ link: FrameLink, _ missing: Int64) -> Bool {
    guard let index = link.tl0PictureIndex else { return false }
    guard let tl0 else {
      // Layers began after the keyframe: nothing proves more than the numbers do.
      return unwrap(link) == lastIntact &+ 1 && missing < link.modulus &- 1
    }
    let number = unwrap(link)
    guard number > last, number &- last < 256 else { return false }
    // The index repeats after 256 frames of layer 0, a short number after 128 frames; each is one packet at least.
    guard missing < link.modulus &- 1 else { return false }
    if link.temporalID == 0 { return index == tl0 &+ 1 }
    guard index == tl0 else { return false }
    if link.isLayerSync { return true }
    guard missing == 0 || number == last &+ 1 else { return false }
    let needed = UInt8(truncatingIfNeeded: (2 << UInt16(min(link.temporalID, 7))) &- 2)
    return intactLayers & needed == needed
  }

  private func areDecoded(_ references: FrameDifferences, _ link: FrameLink) -> Bool {
    let number = unwrap(link)
    guard number > last else { return false }
    for index in 0..<references.count {
      let reference = number &- Int64(references[index])
      guard reference < number, decoded[Int(reference & 0xFF)] == reference else { return false }
    }
    return true
  }

  private func groupPicture(_ link: FrameLink) -> VP9PictureGroup.Picture? {
    guard let group else { return nil }
    let distance = unwrap(link) &- groupStart
    guard distance > 0 else { return nil }
    return group.pictures[Int(distance % Int64(group.pictures.count))]
  }

  /// The frame's number on the line of ``last``, within half the numbers of it.
  private func unwrap(_ link: FrameLink) -> Int64 {
    let modulus = max(link.modulus, 2)
    var distance = (Int64(link.number) &- last) % modulus
    if distance < 0 { distance &+= modulus }
    if distance > modulus / 2 { distance &-= modulus }
    return last &+ distance
  }
}
