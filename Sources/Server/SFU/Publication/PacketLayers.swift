import RTC

/// What one packet is to the layers of its stream, read once when it arrives: from the payload descriptor of VP8 (RFC
/// 7741 section 4.2) or VP9 (RFC 9628 section 4.2), or from a dependency descriptor. 16 bytes.
public struct PacketLayers: Sendable {
  /// Facts about a packet; the four highest bits are ``PacketLayers/structure``.
  struct Flags: OptionSet {
    var rawValue: UInt16
    /// The first packet of its frame (with VP9: of its layer frame).
    static let startsFrame = Flags(rawValue: 1)
    static let endsFrame = Flags(rawValue: 2)
    /// The frame needs layer 0 only, so its own layer can be taken up here (Y of VP8).
    static let isLayerSync = Flags(rawValue: 4)
    /// Later pictures of higher temporal layers need nothing from before this one (U of VP9).
    static let isSwitchingUpPoint = Flags(rawValue: 8)
    /// The frame needs no earlier picture.
    static let isIndependent = Flags(rawValue: 16)
    /// ``PacketLayers/targets`` says what the frame is part of.
    static let hasTargets = Flags(rawValue: 32)
    /// A template structure comes with the packet.
    static let hasStructure = Flags(rawValue: 64)
    /// The packet's descriptor has a mask of active decode targets.
    static let hasMask = Flags(rawValue: 128)
    /// There is a dependency descriptor with a frame number.
    static let hasFrameNumber = Flags(rawValue: 256)
    /// Picture ids run on without holes where pictures are left out, since references are implied (VP8). VP9 counts its
    /// references by them.
    static let closesPictures = Flags(rawValue: 512)
  }

  /// Bit n: the frame is part of decode target n.
  var targets: UInt32 = 0
  /// Bit n: decode target n can be taken up here.
  var switches: UInt32 = 0
  /// The frame's number in the dependency descriptor.
  var frameNumber: UInt16 = 0
  /// The position of the mask of active decode targets in the descriptor, in bits.
  var maskBit: UInt16 = 0
  /// The spatial layer in the stream, 0 to 3.
  var spatial: UInt8 = 0
  /// The temporal layer, 0 to 3.
  var temporal: UInt8 = 0
  var flags: Flags = []

  /// Which template structure ``targets`` and ``switches`` count in, modulo 16: another one may give the same numbers
  /// to other targets.
  var structure: UInt8 {
    get { UInt8(truncatingIfNeeded: flags.rawValue >> 12) }
    set { flags.rawValue = flags.rawValue & 0x0FFF | UInt16(newValue & 0x0F) << 12 }
  }

  /// More layers than four in either direction are treated as the fourth: no encoder in use has more.
  static let maximum: UInt8 = 3

  /// A packet without layers.
  public init() {}

  /// Takes over what a VP8 payload descriptor says.
  mutating func take(_ descriptor: VP8Descriptor) {
    temporal = min(descriptor.temporalID ?? 0, Self.maximum)
    flags = .closesPictures
    if descriptor.isFrameStart { flags.insert(.startsFrame) }
    if descriptor.isLayerSync { flags.insert(.isLayerSync) }
  }

  /// Takes over what a VP9 payload descriptor says.
  mutating func take(_ descriptor: VP9Descriptor) {
    spatial = min(descriptor.spatialID ?? 0, Self.maximum)
    temporal = min(descriptor.temporalID ?? 0, Self.maximum)
    if descriptor.isFrameStart { flags.insert(.startsFrame) }
    if descriptor.isFrameEnd { flags.insert(.endsFrame) }
    if descriptor.isSwitchingUpPoint { flags.insert(.isSwitchingUpPoint) }
    if !descriptor.isInterPicturePredicted { flags.insert(.isIndependent) }
  }

  /// Takes over what a dependency descriptor says; it says more than a payload descriptor.
  ///
  /// - Parameter generation: Of the structure that it was read by.
  mutating func take(_ frame: DependencyFrame, generation: UInt32) {
    flags.insert(.hasFrameNumber)
    frameNumber = frame.frameNumber
    maskBit = frame.activeTargetsBit
    if frame.hasActiveTargets { flags.insert(.hasMask) }
    if frame.hasStructure { flags.insert(.hasStructure) }
    guard let layer = frame.layer, frame.targets != 0 else { return }
    var flags = flags.union(.hasTargets).subtracting([.startsFrame, .endsFrame, .isIndependent])
    if frame.isFrameStart { flags.insert(.startsFrame) }
    if frame.isFrameEnd { flags.insert(.endsFrame) }
    if !frame.hasReferences { flags.insert(.isIndependent) }
    self.flags = flags
    targets = frame.targets
    switches = frame.switches
    spatial = min(layer.spatial, Self.maximum)
    temporal = min(layer.temporal, Self.maximum)
    structure = UInt8(truncatingIfNeeded: generation & 0x0F)
  }
}

/// Which layers of a stream pass: four bytes that are compared for each packet and kept with each run of outgoing
/// numbers, so that a packet that comes late is judged by what held at its place.
struct LayerSelection: Equatable, Sendable {
  private var raw: UInt32

  /// Layers up to `spatial` and `temporal`; `target` is the decode target in the structure of that generation, 0xFF to
  /// go by the layers.
  init(spatial: UInt8, temporal: UInt8, target: UInt8 = Self.noTarget, generation: UInt32 = 0) {
    raw = UInt32(spatial) | UInt32(temporal) << 8 | UInt32(target) << 16 | (generation & 0x0F) << 24
  }

  static let noTarget: UInt8 = 0xFF
  static let all = LayerSelection(spatial: 7, temporal: 7)

  /// The highest spatial layer that passes.
  var spatial: UInt8 { UInt8(truncatingIfNeeded: raw) }
  /// The highest temporal layer that passes.
  var temporal: UInt8 { UInt8(truncatingIfNeeded: raw >> 8) }
  /// The decode target whose frames pass.
  var target: UInt8 { UInt8(truncatingIfNeeded: raw >> 16) }

  /// The structure that ``target`` is of; see ``PacketLayers/structure``.
  var structure: UInt8 { UInt8(truncatingIfNeeded: raw >> 24) }

  /// Whether a packet passes.
  @inline(__always)
  func admits(_ layers: PacketLayers) -> Bool {
    if target != Self.noTarget, layers.flags.contains(.hasTargets), layers.structure == structure {
      return layers.targets >> UInt32(target & 31) & 1 != 0
    }
    return layers.spatial <= spatial && layers.temporal <= temporal
  }
}
