import CDrawing
import Synchronization

/// Sets short texts with Pango, which knows every script, and keeps the last ones.
final class TextRenderer: Sendable {
  private struct Key: Hashable {
    var text: String
    var size: Int
    var bold: Bool
    var width: Int
  }

  private let cache = Mutex<[Key: AlphaMask]>([:])

  init() throws(MediaError) { try Self.load() }

  /// Loads Cairo and Pango; some ten milliseconds the first time, nothing later.
  static func load() throws(MediaError) {
    guard let problem = parley_drawing_load() else { return }
    throw .missingComponent(
      "Text drawing",
      hint: "\(String(cString: problem)) Install it with: apt-get install libpangocairo-1.0-0 fonts-dejavu-core")
  }

  /// One line of text, cut with an ellipsis where it is longer than `width` pixels.
  func mask(_ text: String, size: Int, bold: Bool = false, width: Int) -> AlphaMask {
    let key = Key(text: text, size: size, bold: bold, width: width)
    if let known = cache.withLock({ $0[key] }) { return known }
    var drawn = parley_text_draw(text, Double(size), bold ? 1 : 0, Int32(max(width, 1)))
    defer { parley_text_free(&drawn) }
    var mask = AlphaMask(width: Int(drawn.width), height: Int(drawn.height), alpha: [])
    if let bytes = drawn.bytes {
      mask.alpha.reserveCapacity(mask.width * mask.height)
      for row in 0..<mask.height {
        mask.alpha.append(contentsOf: UnsafeBufferPointer(start: bytes + row * Int(drawn.stride), count: mask.width))
      }
    } else {
      mask = AlphaMask(width: 0, height: 0, alpha: [])
    }
    cache.withLock { cache in
      if cache.count >= 256 { cache.removeAll() }
      cache[key] = mask
    }
    return mask
  }
}
