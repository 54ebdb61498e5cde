#if !canImport(CoreGraphics) || os(Linux)

/// The components of a colour.
public struct CGColorSpace: Hashable, Sendable {
  enum Model { case rgb, gray }
  let model: Model
}

/// Red, green and blue.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace(model: .rgb) }
/// A colour space of one component, from black to white.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace(model: .gray) }

/// The position of the opacity in a pixel.
public enum CGImageAlphaInfo: UInt32, Sendable {
  /// Pixels have no opacity.
  case none = 0
  /// Behind the colours, which are multiplied by it.
  case premultipliedLast = 1
  /// Before the colours, which are multiplied by it.
  case premultipliedFirst = 2
  /// The byte after the colours.
  case last = 3
  /// The byte before the colours.
  case first = 4
  /// A byte behind the colours that says nothing.
  case noneSkipLast = 5
  /// A byte before the colours that says nothing.
  case noneSkipFirst = 6
  /// Pixels have opacity and no colour.
  case alphaOnly = 7
}

/// How pixels lie in memory.
public struct CGBitmapInfo: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Bits in the layout of this type's constants.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The bits for the position of the opacity.
  public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
  /// The bits for the order of the bytes.
  public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
  /// The lowest byte of 32 bits comes first.
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
  /// The highest byte of 32 bits comes first.
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 4 << 12)
}
#endif
