#if !canImport(UIKit) || os(Linux)
import CDrawing
public import Foundation

/// An image, read from a PNG file or taken of a view.
public final class UIImage: Sendable {
  /// Blue, green, red and opacity of each pixel, multiplied by the opacity; rows without gaps.
  let pixels: [UInt8]
  let width: Int
  let height: Int

  /// An image of `width` × `height` pixels, four bytes each.
  init(pixels: [UInt8], width: Int, height: Int) {
    self.pixels = pixels
    self.width = width
    self.height = height
  }

  /// The image of a PNG file's bytes; nil when they aren't PNG, or when Cairo is not installed.
  public convenience init?(data: Data) {
    guard parley_drawing_load() == nil else { return nil }
    var width: Int32 = 0
    var height: Int32 = 0
    let bytes = data.withUnsafeBytes { bytes in
      parley_png_read(
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count), &width, &height)
    }
    guard let bytes else { return nil }
    defer { free(bytes) }
    self.init(
      pixels: Array(UnsafeBufferPointer(start: bytes, count: Int(width) * Int(height) * 4)), width: Int(width),
      height: Int(height))
  }

  /// The image of a PNG file.
  public convenience init?(contentsOfFile path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(data: data)
  }

  /// The image `name.png` next to the program, or in its resources.
  public convenience init?(named name: String) {
    let file = name.hasSuffix(".png") ? name : name + ".png"
    let folders = [Bundle.main.resourcePath, Bundle.main.bundlePath].compactMap { $0 }
    guard let path = folders.map({ $0 + "/" + file }).first(where: FileManager.default.fileExists(atPath:)) else {
      return nil
    }
    self.init(contentsOfFile: path)
  }

  /// Its size in points.
  public var size: CGSize { CGSize(width: width, height: height) }
  /// How many pixels a point has.
  public var scale: CGFloat { 1 }

  /// The image as the bytes of a PNG file; nil when Cairo is not installed.
  public func pngData() -> Data? {
    guard parley_drawing_load() == nil else { return nil }
    var out = Data()
    let status = withUnsafeMutablePointer(to: &out) { out in
      pixels.withUnsafeBufferPointer { pixels in
        parley_png_write(pixels.baseAddress, Int32(width), Int32(height), Int32(width * 4), 1, out) {
          context, bytes, count in
          guard let context, let bytes else { return -1 }
          context.assumingMemoryBound(to: Data.self).pointee.append(bytes, count: Int(count))
          return 0
        }
      }
    }
    return status == 0 ? out : nil
  }

  /// The colour of a pixel, for tests and for apps that look at images; nil outside.
  public func color(x: Int, y: Int) -> UIColor? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    let at = (y * width + x) * 4
    let alpha = CGFloat(pixels[at + 3]) / 255
    guard alpha > 0 else { return .clear }
    func component(_ offset: Int) -> CGFloat { CGFloat(pixels[at + offset]) / 255 / alpha }
    return UIColor(red: component(2), green: component(1), blue: component(0), alpha: alpha)
  }
}
#endif
