/// The dependency descriptor of one packet, as a forwarder needs it: the decode targets that its frame is part of, and
/// those that a receiver can change to here (AOM, RTP payload format for AV1, appendix A). A plain value.
package struct DependencyFrame: Hashable, Sendable {
  /// Whether the packet is the first of its frame.
  package let isFrameStart: Bool
  /// Whether the packet is the last of its frame.
  package let isFrameEnd: Bool
  /// The frame's number, wrapping.
  package let frameNumber: UInt16
  /// The frame's layer; nil when its template is unknown, as are then its targets.
  package fileprivate(set) var layer: LayerID?
  /// Bit n: the frame is part of decode target n.
  package fileprivate(set) var targets: UInt32 = 0
  /// Bit n: decoding of target n can begin with the frame.
  package fileprivate(set) var switches: UInt32 = 0
  /// Whether the frame refers to others.
  package fileprivate(set) var hasReferences = true
  /// Whether a template structure comes with the packet.
  package fileprivate(set) var hasStructure = false
  /// Whether the packet says which targets are active.
  package fileprivate(set) var hasActiveTargets = false
  /// The place of the mask of active targets in the descriptor, present or not, in bits; 0 when there are no extended
  /// fields.
  package fileprivate(set) var activeTargetsBit: UInt16 = 0

  fileprivate init(_ packet: Span<UInt8>, at offset: Int) {
    isFrameStart = packet[offset] & 0x80 != 0
    isFrameEnd = packet[offset] & 0x40 != 0
    frameNumber = packet.networkUInt16(at: offset &+ 1)
  }
}

/// Reads the dependency descriptors of one stream, remembering the structure that its keyframes bring.
///
/// A structure takes about a kilobyte, so a stream gets a reader only when it has descriptors. Reading a packet
/// allocates nothing.
package final class DependencyReader {
  /// The newest structure; without layers as long as ``hasStructure`` is false.
  package private(set) var structure = DependencyStructure()
  /// Whether a structure came.
  package private(set) var hasStructure = false
  /// The decode targets that the sender produces, bit by bit.
  package private(set) var activeTargets: UInt32 = 0
  /// Counts the structures: decode targets may have other numbers in each.
  package private(set) var generation: UInt32 = 0
  private var structureSequence = Int64.min
  private var activeSequence = Int64.min

  /// A reader that knows no structure.
  package init() {}

  /// Reads the extension's data at `range` of the packet with the extended sequence number `sequence`.
  ///
  /// A packet from before the newest structure cannot be interpreted, and one that brings an older structure does not
  /// replace a newer one.
  /// - Throws: ``PayloadError/truncated`` or ``PayloadError/malformed``; nothing is remembered then.
  package func read(_ packet: Span<UInt8>, at range: Range<Int>, sequence: Int64) throws(PayloadError)
    -> DependencyFrame
  {
    guard range.lowerBound >= 0, range.upperBound <= packet.count, range.count >= 3 else { throw .truncated }
    var frame = DependencyFrame(packet, at: range.lowerBound)
    let template = packet[range.lowerBound] & 0x3F
    guard range.count > 3 else {
      if hasStructure, sequence >= structureSequence { interpret(&frame, template, structure) }
      return frame
    }
    var reader = BitReader((range.lowerBound &+ 3)..<range.upperBound)
    let flags = try reader.read(5, in: packet)
    if flags & 0x10 != 0 {
      let read = try DependencyStructure.parse(packet, &reader)
      frame.hasStructure = true
      let active = try extended(&frame, template, flags, read, packet, range, &reader) ?? read.allDecodeTargets
      if sequence > structureSequence {
        structure = read
        hasStructure = true
        generation &+= 1
        structureSequence = sequence
        activeTargets = active
        activeSequence = sequence
      }
    } else if hasStructure, sequence >= structureSequence {
      let active = try extended(&frame, template, flags, structure, packet, range, &reader)
      if let active, sequence > activeSequence {
        activeTargets = active
        activeSequence = sequence
      }
    }
    return frame
  }

  /// Whether all frames of decode target `target` are part of `other`.
  package func contains(_ target: UInt8, in other: UInt8) -> Bool {
    target < 32 && structure.targets(within: Int(other)) >> UInt32(target) & 1 != 0
  }

  private func interpret(_ frame: inout DependencyFrame, _ template: UInt8, _ structure: borrowing DependencyStructure)
  {
    guard let targets = structure.targets(ofTemplate: template) else { return }
    frame.layer = structure.layer(ofTemplate: template)
    frame.targets = targets.present
    frame.switches = targets.switches
    frame.hasReferences = structure.hasReferences(template: template)
  }

  /// Reads what follows the structure (appendix A.8.2) and returns the mask of active targets when there is one.
  private func extended(
    _ frame: inout DependencyFrame, _ template: UInt8, _ flags: UInt32, _ structure: borrowing DependencyStructure,
    _ packet: Span<UInt8>, _ range: Range<Int>, _ reader: inout BitReader
  ) throws(PayloadError) -> UInt32? {
    interpret(&frame, template, structure)
    frame.activeTargetsBit = UInt16(truncatingIfNeeded: reader.position &- range.lowerBound &* 8)
    let count = Int(structure.decodeTargetCount)
    var active: UInt32?
    if flags & 0x08 != 0 {
      frame.hasActiveTargets = true
      active = try reader.read(count, in: packet)
    }
    if flags & 0x04 != 0 {
      frame.targets = 0
      frame.switches = 0
      for target in UInt32(0)..<UInt32(count) {
        let indication = DecodeTargetIndication(rawValue: try reader.read(2, in: packet)) ?? .absent
        if indication != .absent { frame.targets |= 1 << target }
        if indication == .switchPoint { frame.switches |= 1 << target }
      }
    }
    if flags & 0x02 != 0 {
      frame.hasReferences = false
      while true {
        let size = Int(try reader.read(2, in: packet))
        guard size > 0 else { break }
        try reader.skip(4 &* size)
        frame.hasReferences = true
      }
    }
    if flags & 0x01 != 0 { try reader.skip(8 &* Int(structure.chainCount)) }
    return active
  }
}
