#if !canImport(UIKit) || os(Linux)
public import Foundation

/// The pixels of an image.
public final class CGImage: Sendable {
  /// Blue, green, red and opacity of each pixel, multiplied by the opacity; rows without gaps.
  let pixels: [UInt8]
  /// Pixels a row.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// Bits of each colour.
  public var bitsPerComponent: Int { 8 }
  /// Bits of each pixel.
  public var bitsPerPixel: Int { 32 }
  /// Bytes from one row to the next.
  public var bytesPerRow: Int { width * 4 }

  init(pixels: [UInt8], width: Int, height: Int) {
    (self.pixels, self.width, self.height) = (pixels, width, height)
  }

  /// A part of the image; nil when nothing of it lies in `rect`.
  public func cropping(to rect: CGRect) -> CGImage? {
    let inside = rect.integral.intersection(CGRect(x: 0, y: 0, width: width, height: height))
    guard !inside.isEmpty else { return nil }
    let (left, columns) = (Int(inside.minX), Int(inside.width))
    var part: [UInt8] = []
    part.reserveCapacity(columns * Int(inside.height) * 4)
    for row in Int(inside.minY)..<Int(inside.maxY) {
      let start = (row * width + left) * 4
      part.append(contentsOf: pixels[start..<start + columns * 4])
    }
    return CGImage(pixels: part, width: columns, height: Int(inside.height))
  }
}

extension UIImage {
  /// The image of these pixels.
  public convenience init(cgImage: CGImage) {
    self.init(pixels: cgImage.pixels, width: cgImage.width, height: cgImage.height)
  }

  /// Its pixels; never nil.
  public var cgImage: CGImage? { CGImage(pixels: pixels, width: width, height: height) }

  /// Draws the image into the context that ``UIGraphicsBeginImageContextWithOptions(_:_:_:)`` has begun.
  public func draw(in rect: CGRect) {
    guard let cgImage else { return }
    UIGraphicsGetCurrentContext()?.draw(cgImage, in: rect, isUpright: true)
  }

  /// Draws the image with its corner at a point.
  public func draw(at point: CGPoint) { draw(in: CGRect(origin: point, size: size)) }
}

// An app names the picture where it wants it: `#imageLiteral(resourceName: "mute")`.
extension UIImage: _ExpressibleByImageLiteral {
  /// The image `name.png` next to the program, or in its resources. A missing file is reported on standard error, and
  /// the image is a pixel that isn't seen.
  public convenience init(imageLiteralResourceName name: String) {
    if let image = UIImage(named: name) {
      self.init(pixels: image.pixels, width: image.width, height: image.height)
    } else {
      FileHandle.standardError.write(Data("ParleyViews: there is no picture \(name).png beside the program.\n".utf8))
      self.init(pixels: [0, 0, 0, 0], width: 1, height: 1)
    }
  }
}

/// The type that the compiler gives an image literal.
public typealias _ImageLiteralType = UIImage
#endif
