#if !canImport(CoreGraphics) || os(Linux)

/// What colours are made of.
public struct CGColorSpace: Hashable, Sendable {
  enum Model { case rgb, gray }
  let model: Model
}

/// Red, green and blue.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace(model: .rgb) }
/// Shades of grey.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace(model: .gray) }

/// Where the opacity of a pixel is.
public enum CGImageAlphaInfo: UInt32, Sendable {
  /// There is none.
  case none = 0
  /// Behind the colours, which are multiplied by it.
  case premultipliedLast = 1
  /// Before the colours, which are multiplied by it.
  case premultipliedFirst = 2
  /// Behind the colours.
  case last = 3
  /// Before the colours.
  case first = 4
  /// A byte behind the colours that says nothing.
  case noneSkipLast = 5
  /// A byte before the colours that says nothing.
  case noneSkipFirst = 6
  /// Nothing else.
  case alphaOnly = 7
}

/// How pixels lie in memory.
public struct CGBitmapInfo: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// What these bits say.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// What says where the opacity is.
  public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
  /// What says the order of the bytes.
  public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
  /// The lowest byte of 32 bits comes first.
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
  /// The highest byte of 32 bits comes first.
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 4 << 12)
}
#endif
