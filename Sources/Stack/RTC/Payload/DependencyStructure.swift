/// A layer of a scalable stream.
public struct LayerID: Hashable, Sendable {
  /// The spatial layer, 0 to 3.
  public var spatial: UInt8
  /// The temporal layer, 0 to 7.
  public var temporal: UInt8

  /// The layer with the given numbers.
  @inlinable public init(spatial: UInt8, temporal: UInt8) {
    self.spatial = spatial
    self.temporal = temporal
  }
}

/// The template dependency structure of a stream (AOM, RTP payload format for AV1, appendix A.8.3): which layer each
/// template and each decode target belongs to, and which targets the frames of a template are part of.
///
/// A plain value with inline storage of its largest size (64 templates, 32 targets), about 900 bytes.
public struct DependencyStructure: Hashable, Sendable {
  /// The identifier of the first template.
  public private(set) var templateIDOffset: UInt8 = 0
  /// How many templates there are, 1 to 64.
  public private(set) var templateCount: UInt8 = 0
  /// How many decode targets there are, 1 to 32.
  public private(set) var decodeTargetCount: UInt8 = 0
  /// How many chains there are, 0 to 32.
  public private(set) var chainCount: UInt8 = 0
  /// The highest spatial layer.
  public private(set) var maximumSpatialID: UInt8 = 0
  /// The highest temporal layer.
  public private(set) var maximumTemporalID: UInt8 = 0

  /// Spatial layer in the high, temporal layer in the low four bits.
  private var templateLayers = SIMD64<UInt8>()
  private var targetLayers = SIMD32<UInt8>()
  /// Bit n: the template's frames are part of decode target n.
  private var presentTargets = SIMD64<UInt32>()
  /// Bit n: decoding of target n can begin with a frame of the template.
  private var switchTargets = SIMD64<UInt32>()
  /// Bit n: the template's frames refer to the frame n + 1 numbers before.
  private var differences = SIMD64<UInt16>()
  private var widths = SIMD4<UInt16>()
  private var heights = SIMD4<UInt16>()
  /// Whether the sizes of the spatial layers were sent.
  public private(set) var hasResolutions = false

  init() {}

  /// A mask with a bit for each decode target.
  public var allDecodeTargets: UInt32 { UInt32.max >> (32 &- UInt32(decodeTargetCount)) }

  /// The layer of frames with template `id` (0 to 63, as in the descriptor); nil when no template has it.
  public func layer(ofTemplate id: UInt8) -> LayerID? {
    let index = (id &- templateIDOffset) & 0x3F
    guard index < templateCount else { return nil }
    return LayerID(packed: templateLayers[Int(index)])
  }

  /// The frames that those with template `id` refer to, unless a descriptor says otherwise; nil when no template has
  /// it.
  public func references(ofTemplate id: UInt8) -> FrameDifferences? {
    let index = (id &- templateIDOffset) & 0x3F
    guard index < templateCount else { return nil }
    var result = FrameDifferences()
    for bit in UInt16(0)..<16 where differences[Int(index)] & (1 << bit) != 0 { result.append(bit &+ 1) }
    return result
  }

  /// Whether frames with template `id` refer to others, unless a descriptor says otherwise.
  package func hasReferences(template id: UInt8) -> Bool {
    let index = (id &- templateIDOffset) & 0x3F
    return index < templateCount && differences[Int(index)] != 0
  }

  /// The decode targets that frames with template `id` are part of, and those that a receiver can change to there
  /// (appendix A.8.4); nil when no template has it.
  package func targets(ofTemplate id: UInt8) -> (present: UInt32, switches: UInt32)? {
    let index = (id &- templateIDOffset) & 0x3F
    guard index < templateCount else { return nil }
    return (presentTargets[Int(index)], switchTargets[Int(index)])
  }

  /// The decode targets whose frames are all part of `target` too: who gets that one can decode them, and can move down
  /// to them anywhere.
  package func targets(within target: Int) -> UInt32 {
    var result = allDecodeTargets
    guard target >= 0, target < Int(decodeTargetCount) else { return 0 }
    for template in 0..<Int(templateCount) {
      let present = presentTargets[template]
      if present & (1 << UInt32(target)) == 0 { result &= ~present }
    }
    return result
  }

  /// The highest layer of decode target `index`; nil past the last one.
  public func layer(ofDecodeTarget index: Int) -> LayerID? {
    guard index >= 0, index < Int(decodeTargetCount) else { return nil }
    return LayerID(packed: targetLayers[index])
  }

  /// Width and height of a spatial layer in pixels (1 to 65,536); nil when not sent.
  public func resolution(ofSpatialLayer layer: UInt8) -> (width: Int, height: Int)? {
    guard hasResolutions, layer <= maximumSpatialID, layer < 4 else { return nil }
    return (Int(widths[Int(layer)]) &+ 1, Int(heights[Int(layer)]) &+ 1)
  }

  static func parse(
    _ packet: Span<UInt8>, _ reader: inout BitReader
  ) throws(PayloadError) -> DependencyStructure {
    var result = DependencyStructure()
    result.templateIDOffset = UInt8(try reader.read(6, in: packet))
    result.decodeTargetCount = UInt8(try reader.read(5, in: packet)) &+ 1
    try result.readLayers(packet, &reader)
    try result.readTargets(packet, &reader)
    try result.readFrameDifferences(packet, &reader)
    try result.skipChains(packet, &reader)
    result.hasResolutions = try reader.flag(in: packet)
    if result.hasResolutions {
      for layer in 0...Int(result.maximumSpatialID) {
        result.widths[layer] = UInt16(try reader.read(16, in: packet))
        result.heights[layer] = UInt16(try reader.read(16, in: packet))
      }
    }
    return result
  }

  private mutating func readLayers(_ packet: Span<UInt8>, _ reader: inout BitReader) throws(PayloadError) {
    var spatial: UInt8 = 0
    var temporal: UInt8 = 0
    while true {
      guard templateCount < 64 else { throw .malformed }
      templateLayers[Int(templateCount)] = spatial << 4 | temporal
      templateCount &+= 1
      switch try reader.read(2, in: packet) {
      case 0: break
      case 1:
        temporal &+= 1
        guard temporal < 8 else { throw .malformed }
        maximumTemporalID = max(maximumTemporalID, temporal)
      case 2:
        temporal = 0
        spatial &+= 1
        guard spatial < 4 else { throw .malformed }
      default:
        maximumSpatialID = spatial
        return
      }
    }
  }

  private mutating func readTargets(_ packet: Span<UInt8>, _ reader: inout BitReader) throws(PayloadError) {
    for template in 0..<Int(templateCount) {
      let layer = templateLayers[template]
      for target in 0..<Int(decodeTargetCount) {
        let indication = DecodeTargetIndication(rawValue: try reader.read(2, in: packet)) ?? .absent
        guard indication != .absent else { continue }
        presentTargets[template] |= 1 << UInt32(target)
        if indication == .switchPoint { switchTargets[template] |= 1 << UInt32(target) }
        let known = targetLayers[target]
        targetLayers[target] = max(known & 0xF0, layer & 0xF0) | max(known & 0x0F, layer & 0x0F)
      }
    }
  }

  private mutating func readFrameDifferences(
    _ packet: Span<UInt8>, _ reader: inout BitReader
  ) throws(PayloadError) {
    for template in 0..<Int(templateCount) {
      while try reader.flag(in: packet) {
        differences[template] |= 1 << UInt16(truncatingIfNeeded: try reader.read(4, in: packet))
      }
    }
  }

  private mutating func skipChains(_ packet: Span<UInt8>, _ reader: inout BitReader) throws(PayloadError) {
    let targets = Int(decodeTargetCount)
    let chains = try reader.nonSymmetric(below: targets &+ 1, in: packet)
    chainCount = UInt8(truncatingIfNeeded: chains)
    guard chains > 0 else { return }
    for _ in 0..<targets { _ = try reader.nonSymmetric(below: chains, in: packet) }
    try reader.skip(4 &* Int(templateCount) &* chains)
  }
}

/// A frame's role for a decode target (appendix A.8.4.2).
enum DecodeTargetIndication: UInt32 {
  /// No part of it.
  case absent = 0
  /// No later frame of the target needs it.
  case discardable = 1
  /// A receiver that starts with it can decode all later frames of the target.
  case switchPoint = 2
  /// Later frames of the target need it.
  case required = 3
}

extension LayerID {
  init(packed: UInt8) { self.init(spatial: packed >> 4, temporal: packed & 0x0F) }
}
