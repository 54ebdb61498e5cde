#if !canImport(UIKit) || os(Linux)
import CDrawing
public import Foundation

/// Draws images and rectangles into memory, as capturers and transformers of apps do.
///
/// As on Apple systems the origin of a context of one's own is below, and that of
/// ``UIGraphicsBeginImageContextWithOptions(_:_:_:)`` above. It may be moved and scaled, not turned. A pixel is taken
/// from the image's nearest one.
public final class CGContext {
  /// The order of the bytes in a pixel.
  private enum Layout {
    case gray
    /// The places of blue, green, red and opacity.
    case color(b: Int, g: Int, r: Int, a: Int?)

    init?(_ space: CGColorSpace, _ info: UInt32) {
      guard space.model == .rgb else {
        self = .gray
        return
      }
      let isLittle = info & CGBitmapInfo.byteOrderMask.rawValue == CGBitmapInfo.byteOrder32Little.rawValue
      switch CGImageAlphaInfo(rawValue: info & CGBitmapInfo.alphaInfoMask.rawValue) {
      case .first, .premultipliedFirst:
        self = isLittle ? .color(b: 0, g: 1, r: 2, a: 3) : .color(b: 3, g: 2, r: 1, a: 0)
      case .noneSkipFirst: self = isLittle ? .color(b: 0, g: 1, r: 2, a: nil) : .color(b: 3, g: 2, r: 1, a: nil)
      case .last, .premultipliedLast: self = isLittle ? .color(b: 1, g: 2, r: 3, a: 0) : .color(b: 2, g: 1, r: 0, a: 3)
      case .noneSkipLast: self = isLittle ? .color(b: 1, g: 2, r: 3, a: nil) : .color(b: 2, g: 1, r: 0, a: nil)
      case .some(.none), .alphaOnly, nil: return nil
      }
    }

    var bytes: Int { if case .gray = self { 1 } else { 4 } }
  }

  /// Of the pixels: `x * a + x0`, and `y * d + y0`, counted from below.
  private struct Scale {
    var a: CGFloat = 1
    var d: CGFloat = 1
    var x0: CGFloat = 0
    var y0: CGFloat = 0
  }

  /// Pixels a row.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// Bytes from one row to the next.
  public let bytesPerRow: Int
  /// The memory of the pixels.
  public var data: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(memory) }

  private let memory: UnsafeMutablePointer<UInt8>
  private let owned: Bool
  private let layout: Layout
  private var scale = Scale()
  private var saved: [Scale] = []
  private var fill: [UInt8] = [0, 0, 0, 255]

  /// A context for this memory, or for some of its own where `data` is nil. Nil when there is no such layout, or it is
  /// too large.
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {
    guard let layout = Layout(space, bitmapInfo), bitsPerComponent == 8, (1...16_384).contains(width),
      (1...16_384).contains(height)
    else { return nil }
    let stride = bytesPerRow == 0 ? width * layout.bytes : bytesPerRow
    guard stride >= width * layout.bytes, stride <= 1 << 20 else { return nil }
    (self.width, self.height, self.bytesPerRow, self.layout) = (width, height, stride, layout)
    owned = data == nil
    memory =
      data?.assumingMemoryBound(to: UInt8.self) ?? UnsafeMutablePointer<UInt8>.allocate(capacity: stride * height)
    if owned { memory.initialize(repeating: 0, count: stride * height) }
  }

  deinit { if owned { memory.deallocate() } }

  /// A context whose corner is above.
  convenience init?(size: CGSize, scale: CGFloat) {
    guard size.width >= 1, size.height >= 1, size.width * scale <= 16_384, size.height * scale <= 16_384 else {
      return nil
    }
    self.init(
      data: nil, width: Int((size.width * scale).rounded(.up)), height: Int((size.height * scale).rounded(.up)),
      bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    self.scale = Scale(a: scale, d: -scale, y0: CGFloat(height))
  }

  // MARK: Coordinates

  /// Everything drawn from now on is so much larger.
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) { (scale.a, scale.d) = (scale.a * sx, scale.d * sy) }

  /// Everything drawn from now on is moved.
  public func translateBy(x tx: CGFloat, y ty: CGFloat) {
    scale.x0 += tx * scale.a
    scale.y0 += ty * scale.d
  }

  /// Remembers how it is moved and scaled.
  public func saveGState() { saved.append(scale) }
  /// Goes back to what was remembered last.
  public func restoreGState() { if let last = saved.popLast() { scale = last } }

  // MARK: Drawing

  /// The colour of what is filled from now on.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    func byte(_ value: CGFloat) -> UInt8 { UInt8(min(max(value * alpha * 255, 0), 255)) }
    fill = [byte(blue), byte(green), byte(red), UInt8(min(max(alpha * 255, 0), 255))]
  }

  /// Fills a rectangle with the current colour.
  public func fill(_ rect: CGRect) { draw(CGImage(pixels: fill, width: 1, height: 1), in: rect) }

  /// Makes a rectangle of nothing.
  public func clear(_ rect: CGRect) {
    guard let place = place(rect) else { return }
    for row in place.rows {
      (memory + row * bytesPerRow + place.columns.lowerBound * layout.bytes)
        .update(repeating: 0, count: place.columns.count * layout.bytes)
    }
  }

  /// Draws an image, stretched to a rectangle.
  public func draw(_ image: CGImage, in rect: CGRect) { draw(image, in: rect, isUpright: false) }

  /// The image's first row lies at the largest y of the rectangle, or at its smallest where it is `isUpright`.
  func draw(_ image: CGImage, in rect: CGRect, isUpright: Bool) {
    guard let place = place(rect), image.width > 0, image.height > 0 else { return }
    let columns = place.columns.map { column -> Int in
      let x = (CGFloat(column) + 0.5 - scale.x0) / scale.a
      return min(max(Int((x - rect.minX) / rect.width * CGFloat(image.width)), 0), image.width - 1) * 4
    }
    let isWhole = hasOrderOfImages
    image.pixels.withUnsafeBufferPointer { pixels in
      guard let source = pixels.baseAddress else { return }
      for row in place.rows {
        let y = (CGFloat(height - row) - 0.5 - scale.y0) / scale.d
        let share = isUpright ? (y - rect.minY) / rect.height : (rect.maxY - y) / rect.height
        let from = source + min(max(Int(share * CGFloat(image.height)), 0), image.height - 1) * image.width * 4
        let to = memory + row * bytesPerRow + place.columns.lowerBound * layout.bytes
        if isWhole { blendWhole(from, columns, into: to) } else { blend(from, columns, into: to) }
      }
    }
  }

  /// The pixels that a rectangle covers; nil when none are.
  private func place(_ rect: CGRect) -> (columns: Range<Int>, rows: Range<Int>)? {
    guard rect.width > 0, rect.height > 0, scale.a != 0, scale.d != 0, rect.maxX.isFinite, rect.maxY.isFinite,
      rect.minX.isFinite, rect.minY.isFinite
    else { return nil }
    func range(_ one: CGFloat, _ other: CGFloat, _ most: Int) -> Range<Int> {
      let end = CGFloat(most)
      let (low, high) = (min(max(min(one, other), 0), end), min(max(max(one, other), 0), end))
      return Int(low.rounded())..<max(Int(high.rounded()), Int(low.rounded()))
    }
    let columns = range(rect.minX * scale.a + scale.x0, rect.maxX * scale.a + scale.x0, width)
    let (low, high) = (rect.minY * scale.d + scale.y0, rect.maxY * scale.d + scale.y0)
    let rows = range(CGFloat(height) - low, CGFloat(height) - high, height)
    return columns.isEmpty || rows.isEmpty ? nil : (columns, rows)
  }

  /// Whether pixels lie as those of an image do, each at a multiple of its size.
  private var hasOrderOfImages: Bool {
    guard case .color(b: 0, g: 1, r: 2, a: .some(3)) = layout else { return false }
    return UInt(bitPattern: memory) % 4 == 0 && bytesPerRow % 4 == 0
  }

  /// Draws a row of an image whose order of bytes is the context's, in C: debug builds of Swift need more than a tenth
  /// of a second for the pixels of a screen, which apps capture ten times a second.
  private func blendWhole(_ from: UnsafePointer<UInt8>, _ columns: [Int], into row: UnsafeMutablePointer<UInt8>) {
    columns.withUnsafeBufferPointer { parley_pixels_over(from, $0.baseAddress, $0.count, row) }
  }

  private func blend(_ from: UnsafePointer<UInt8>, _ columns: [Int], into row: UnsafeMutablePointer<UInt8>) {
    var to = row
    for column in columns {
      let pixel = from + column
      let rest = 255 - Int(pixel[3])
      switch layout {
      case .gray:
        let light = (Int(pixel[0]) * 29 + Int(pixel[1]) * 150 + Int(pixel[2]) * 77) >> 8
        to[0] = UInt8(min(light + Int(to[0]) * rest / 255, 255))
      case .color(let b, let g, let r, let a):
        to[b] = UInt8(min(Int(pixel[0]) + Int(to[b]) * rest / 255, 255))
        to[g] = UInt8(min(Int(pixel[1]) + Int(to[g]) * rest / 255, 255))
        to[r] = UInt8(min(Int(pixel[2]) + Int(to[r]) * rest / 255, 255))
        if let a { to[a] = UInt8(min(Int(pixel[3]) + Int(to[a]) * rest / 255, 255)) }
      }
      to += layout.bytes
    }
  }

  /// A copy of what was drawn.
  public func makeImage() -> CGImage? {
    if hasOrderOfImages {
      let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
        for row in 0..<height {
          guard let to = buffer.baseAddress else { return }
          (to + row * width * 4).initialize(from: memory + row * bytesPerRow, count: width * 4)
        }
        count = width * height * 4
      }
      return CGImage(pixels: pixels, width: width, height: height)
    }
    var pixels = [UInt8](repeating: 255, count: width * height * 4)
    for row in 0..<height {
      for column in 0..<width {
        let (from, at) = (memory + row * bytesPerRow + column * layout.bytes, (row * width + column) * 4)
        switch layout {
        case .gray: (pixels[at], pixels[at + 1], pixels[at + 2]) = (from[0], from[0], from[0])
        case .color(let b, let g, let r, let a):
          (pixels[at], pixels[at + 1], pixels[at + 2]) = (from[b], from[g], from[r])
          if let a { pixels[at + 3] = from[a] }
        }
      }
    }
    return CGImage(pixels: pixels, width: width, height: height)
  }
}
#endif
