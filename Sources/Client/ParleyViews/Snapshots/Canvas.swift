#if !canImport(UIKit) || os(Linux)
import CDrawing
import Foundation

/// An image that is being drawn with Cairo, without any display.
final class Canvas {
  private let canvas: OpaquePointer
  private let width, height: Int

  init(_ size: CGSize) throws(ViewError) {
    if let problem = parley_drawing_load() { throw .missingLibrary(String(cString: problem)) }
    let most: CGFloat = 8_192
    guard size.width >= 1, size.height >= 1, size.width <= most, size.height <= most else {
      throw .noPicture(
        "Its size is \(size.width) × \(size.height); 1 to 8192 points a side are expected. Give it a frame.")
    }
    width = Int(size.width.rounded(.up))
    height = Int(size.height.rounded(.up))
    guard let canvas = parley_canvas_create(Int32(width), Int32(height)) else {
      throw .noPicture("There is no memory for \(width) × \(height) pixels.")
    }
    self.canvas = canvas
  }

  deinit { parley_canvas_destroy(canvas) }

  var image: UIImage {
    var stride: Int32 = 0
    let pixels = parley_canvas_pixels(canvas, &stride)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * height * 4)
    for row in 0..<height {
      bytes.append(contentsOf: UnsafeBufferPointer(start: pixels.map { $0 + row * Int(stride) }, count: width * 4))
    }
    return UIImage(pixels: bytes, width: width, height: height)
  }

  /// Draws what `body` draws, moved, as opaque as said, and cut at a rectangle with round corners if there is one.
  func part(at origin: CGPoint, opacity: CGFloat, clip: CGSize?, radius: CGFloat, _ body: () -> Void) {
    let (width, height): (CGFloat, CGFloat) = clip.map { ($0.width, $0.height) } ?? (-1, -1)
    parley_canvas_begin(canvas, origin.x, origin.y, opacity, width, height, radius)
    body()
    parley_canvas_end(canvas, opacity)
  }

  private func components(_ color: UIColor) -> [Double] {
    let shown = color.shown
    return [shown.red, shown.green, shown.blue, shown.opacity]
  }

  /// Fills a rectangle, or draws its border when `line` is above 0.
  func rectangle(_ rect: CGRect, radius: CGFloat = 0, line: CGFloat = 0, _ color: UIColor) {
    parley_canvas_rectangle(canvas, rect.minX, rect.minY, rect.width, rect.height, radius, line, components(color))
  }

  func picture(_ pixels: [UInt8], width: Int, height: Int, isOpaque: Bool, isMirrored: Bool = false, in rect: CGRect) {
    parley_canvas_picture(
      canvas, pixels, Int32(width), Int32(height), isOpaque ? 0 : 1, isMirrored ? 1 : 0, rect.minX, rect.minY,
      rect.width,
      rect.height)
  }

  func text(
    _ text: String, font: UIFont?, color: UIColor?, alignment: NSTextAlignment = .left, lines: Int = 1,
    isAtTop: Bool = false, in rect: CGRect
  ) {
    guard !text.isEmpty, rect.width > 0 else { return }
    let font = font ?? .systemFont(ofSize: UIFont.systemFontSize)
    let place: Int32 = alignment == .center ? 1 : alignment == .right ? 2 : 0
    let style = parley_text_style(
      size: font.pointSize, bold: font.isBold ? 1 : 0, alignment: place, lines: Int32(clamping: lines))
    parley_canvas_text(
      canvas, text, style, isAtTop ? 1 : 0, rect.minX, rect.minY, rect.width, rect.height, components(color ?? .label))
  }
}
#endif
