/// The dependency descriptor header extension (AOM, RTP payload format for AV1, appendix A): which frame a packet
/// belongs to and which template describes its dependencies.
///
/// The three mandatory bytes are read always, the extended fields up to the frame differences. Chains are not read:
/// with its references known, a frame needs no other proof that it can be decoded.
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
  /// The decode targets that the sender produces, bit by bit; nil when unchanged.
  public let activeDecodeTargets: UInt32?
  /// The frames that this one refers to, by the descriptor itself or by its template; nil without a structure that has
  /// the template.
  public let references: FrameDifferences?
  /// The frame's layer; nil without a structure that has the template.
  public let layer: LayerID?

  /// Whether a keyframe starts here: the structure is sent with the first packet of each coded video sequence.
  public var isKeyframeStart: Bool { isFrameStart && structure != nil }

  /// Reads the extension's data at `range` of a packet.
  ///
  /// - Parameter current: the stream's last structure. Without one and without a new one the mask of active targets
  ///   cannot be read, since its width is unknown; ``activeDecodeTargets`` is then nil.
  /// - Throws: ``PayloadError/truncated``, or ``PayloadError/malformed`` when a limit of the format is exceeded (64
  ///   templates, 32 decode targets, 4 spatial and 8 temporal layers).
  public static func parse(
    _ packet: Span<UInt8>, at range: Range<Int>, current: DependencyStructure? = nil
  ) throws(PayloadError) -> DependencyDescriptor {
    guard range.lowerBound >= 0, range.upperBound <= packet.count, range.count >= 3 else { throw .truncated }
    let first = packet[range.lowerBound]
    var structure: DependencyStructure?
    var active: UInt32?
    var references: FrameDifferences?
    var hasCustomReferences = false
    if range.count > 3 {
      var reader = BitReader((range.lowerBound &+ 3)..<range.upperBound)
      let hasStructure = try reader.flag(in: packet)
      let hasActive = try reader.flag(in: packet)
      let hasCustomTargets = try reader.flag(in: packet)
      hasCustomReferences = try reader.flag(in: packet)
      try reader.skip(1)
      if hasStructure {
        let read = try DependencyStructure.parse(packet, &reader)
        structure = read
        active = read.allDecodeTargets
      }
      // Without a structure the width of what follows is unknown.
      if let known = structure ?? current {
        if hasActive { active = try reader.read(Int(known.decodeTargetCount), in: packet) }
        if hasCustomTargets { try reader.skip(2 &* Int(known.decodeTargetCount)) }
        if hasCustomReferences { references = try Self.readReferences(packet, &reader) }
      }
    }
    let known = structure ?? current
    let templateID = first & 0x3F
    if !hasCustomReferences { references = known?.references(ofTemplate: templateID) }
    return DependencyDescriptor(
      isFrameStart: first & 0x80 != 0, isFrameEnd: first & 0x40 != 0, templateID: templateID,
      frameNumber: packet.networkUInt16(at: range.lowerBound &+ 1), structure: structure,
      activeDecodeTargets: active, references: references, layer: known?.layer(ofTemplate: templateID))
  }

  /// The frame's own differences (`frame_fdiffs`), each after its size in units of four bits.
  private static func readReferences(
    _ packet: Span<UInt8>, _ reader: inout BitReader
  ) throws(PayloadError) -> FrameDifferences {
    var result = FrameDifferences()
    while true {
      let size = Int(try reader.read(2, in: packet))
      guard size > 0 else { return result }
      // No decoder keeps more frames than there is room for.
      guard result.append(UInt16(truncatingIfNeeded: try reader.read(4 &* size, in: packet)) &+ 1) else {
        throw .malformed
      }
    }
  }
}
