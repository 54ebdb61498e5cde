/// The dependency descriptor header extension (AOM, RTP payload format for AV1, appendix A): which frame a packet belongs
/// to and which template describes its dependencies.
///
/// The three mandatory bytes are read always, the extended fields up to the template structure and the active decode targets.
/// What frames refer to (custom and template frame differences, chains) is checked for length but not kept.
public struct DependencyDescriptor: Hashable, Sendable {
  /// Whether the packet is the first of its frame.
  public let isFrameStart: Bool
  /// Whether the packet is the last of its frame.
  public let isFrameEnd: Bool
  /// The template's identifier, 0 to 63; relative to ``DependencyStructure/templateIDOffset``.
  public let templateID: UInt8
  /// The frame's number, wrapping.
  public let frameNumber: UInt16
  /// The template structure, which comes with keyframes; nil otherwise. Keep the last one per stream.
  public let structure: DependencyStructure?
  /// Which decode targets the sender produces, bit by bit; nil when unchanged.
  public let activeDecodeTargets: UInt32?

  /// Whether a keyframe starts here: the structure is sent with the first packet of each coded video sequence.
  public var isKeyframeStart: Bool { isFrameStart && structure != nil }

  /// Reads the extension's data at `range` of a packet.
  ///
  /// - Parameter current: the stream's last structure. Without one and without a new one the mask of active targets cannot be
  ///   read, since its width is unknown; ``activeDecodeTargets`` is then nil.
  /// - Throws: ``PayloadError/truncated``, or ``PayloadError/malformed`` when a limit of the format is exceeded (64 templates,
  ///   32 decode targets, 4 spatial and 8 temporal layers).
  public static func parse(
    _ packet: Span<UInt8>, at range: Range<Int>, current: DependencyStructure? = nil
  ) throws(PayloadError) -> DependencyDescriptor {
    guard range.lowerBound >= 0, range.upperBound <= packet.count, range.count >= 3 else { throw .truncated }
    let first = packet[range.lowerBound]
    var structure: DependencyStructure?
    var active: UInt32?
    if range.count > 3 {
      var reader = BitReader((range.lowerBound &+ 3)..<range.upperBound)
      let hasStructure = try reader.flag(in: packet)
      let hasActive = try reader.flag(in: packet)
      // Custom targets, differences and chains: they follow the fields read here.
      try reader.skip(3)
      if hasStructure {
        let read = try DependencyStructure.parse(packet, &reader)
        structure = read
        active = read.allDecodeTargets
      }
      if hasActive, let known = structure ?? current {
        active = try reader.read(Int(known.decodeTargetCount), in: packet)
      }
    }
    return DependencyDescriptor(
      isFrameStart: first & 0x80 != 0, isFrameEnd: first & 0x40 != 0, templateID: first & 0x3F,
      frameNumber: packet.networkUInt16(at: range.lowerBound &+ 1), structure: structure,
      activeDecodeTargets: active)
  }
}
