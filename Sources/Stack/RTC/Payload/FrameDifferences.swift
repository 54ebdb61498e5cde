/// The frames that a frame refers to, each by how many numbers it lies before it.
///
/// A plain value with room for 16, more than any codec here keeps frames to refer to (VP9 and AV1: 8).
public struct FrameDifferences: Hashable, Sendable {
  private var values = SIMD16<UInt16>()
  private var count8: UInt8 = 0

  /// No references: the frame can be decoded by itself.
  public init() {}

  /// How many frames it refers to, 0 to 16.
  public var count: Int { Int(count8) }

  /// The difference at `index`, at least 1; 0 past the last one.
  public subscript(index: Int) -> UInt16 { index >= 0 && index < count ? values[index] : 0 }

  /// Adds a difference unless it is there; false when there is no room.
  @discardableResult public mutating func append(_ difference: UInt16) -> Bool {
    for index in 0..<count where values[index] == difference { return true }
    guard count < 16 else { return false }
    values[count] = difference
    count8 &+= 1
    return true
  }
}
