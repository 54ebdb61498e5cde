/// The layout of a frame's bytes from a camera, a screen or an app. YCbCr colours are limited-range BT.601.
///
/// ```swift
/// func bitsPerPixel(_ format: PixelFormat) -> Int {
///   switch format {
///   case .bgra, .rgba: 32
///   case .rgb: 24
///   case .yuy2, .uyvy: 16
///   case .i420, .nv12: 12
///   }
/// }
/// ```
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
  /// Four bytes a pixel: blue, green, red, alpha (ignored when read, 255 when written). The format of screens and
  /// Cairo.
  case bgra
  /// Four bytes a pixel: red, green, blue, alpha (ignored when read, 255 when written).
  case rgba
  /// Three bytes a pixel: red, green, blue. The format of image files.
  case rgb
  /// Planes Y, U and V without gaps; U and V have half the width and height, rounded up.
  case i420
  /// Plane Y, then U and V interleaved at half the width and height, rounded up. The format of hardware codecs.
  case nv12
  /// Two bytes a pixel: Y, U, Y, V. The uncompressed format of most cameras. Rows hold an even number of pixels.
  case yuy2
  /// Two bytes a pixel: U, Y, V, Y. Rows hold an even number of pixels.
  case uyvy

  /// The least bytes from one row of `width` pixels to the next; for planar formats, of the Y plane.
  ///
  /// ```swift
  /// let row = PixelFormat.bgra.minimumStride(width: 1280)  // 5,120
  /// ```
  public func minimumStride(width: Int) -> Int {
    switch self {
    case .bgra, .rgba: width * 4
    case .rgb: width * 3
    case .i420, .nv12: width
    case .yuy2, .uyvy: (width + 1) / 2 * 4
    }
  }

  /// Bytes of a frame whose rows are `stride` apart; chroma planes have the stride that belongs to it (half, rounded
  /// up, for ``i420``; the same, rounded up to even, for ``nv12``).
  ///
  /// ```swift
  /// var pixels = [UInt8](repeating: 0, count: PixelFormat.nv12.byteCount(stride: 1280, height: 720))
  /// ```
  public func byteCount(stride: Int, height: Int) -> Int {
    switch self {
    case .bgra, .rgba, .rgb, .yuy2, .uyvy: stride * height
    case .i420, .nv12: stride * height + (stride + 1) / 2 * 2 * ((height + 1) / 2)
    }
  }
}
