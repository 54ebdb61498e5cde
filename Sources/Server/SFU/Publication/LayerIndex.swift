public import Basics

/// One step of the quality of a video publication: a spatial layer and the temporal layers up to one.
///
/// Spatial layer 0 is the smallest picture; with simulcast each is a stream of its own, with SVC they share one (RFC
/// 9628 section 3, AV1 dependency descriptor). Ordered by size, then by frame rate.
public struct LayerIndex: Hashable, Comparable, Sendable {
  /// The spatial layer, smallest picture first.
  public var spatial: UInt8
  /// The highest temporal layer that is forwarded, lowest frame rate first.
  public var temporal: UInt8

  public init(spatial: UInt8, temporal: UInt8) {
    self.spatial = spatial
    self.temporal = temporal
  }

  public static let lowest = LayerIndex(spatial: 0, temporal: 0)
  /// No limit: whatever there is.
  public static let highest = LayerIndex(spatial: 7, temporal: 7)

  /// Whether `other` has neither a larger picture nor a higher frame rate.
  func contains(_ other: LayerIndex) -> Bool { other.spatial <= spatial && other.temporal <= temporal }

  /// Smaller pictures first, then lower frame rates.
  public static func < (a: LayerIndex, b: LayerIndex) -> Bool {
    (a.spatial, a.temporal) < (b.spatial, b.temporal)
  }
}

/// The cost and the gain of one step of a publication, as measured on the packets that arrive.
public struct LayerOption: Hashable, Sendable {
  public var index: LayerIndex
  /// Its rate on the wire, with all layers that it depends on.
  public var rate: DataRate
  /// Width of the picture in pixels; 0 while unknown.
  public var width: UInt16
  /// Height of the picture in pixels; 0 while unknown.
  public var height: UInt16

  public init(index: LayerIndex, rate: DataRate, width: UInt16 = 0, height: UInt16 = 0) {
    self.index = index
    self.rate = rate
    self.width = width
    self.height = height
  }
}
