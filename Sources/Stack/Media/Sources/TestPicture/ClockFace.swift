import Glibc

/// The clock that is burnt into test videos: HH:MM:SS.mmm in the upper left corner. The digits are drawn from strokes
/// once, so it needs no font.
struct ClockFace {
  private let glyphs: [AlphaMask]
  private let advance: Int
  private let narrow: Int
  private let margin: Int
  private let padding: Int
  private let glyphHeight: Int

  /// A clock for frames of `height` rows.
  init(height: Int) {
    let size = max(10, Float(height) * 0.062)
    glyphHeight = Int(size)
    advance = Int((size * 0.68).rounded(.up))
    narrow = Int((size * 0.34).rounded(.up))
    padding = max(2, Int(size * 0.34))
    margin = max(2, height / 30)
    let (digit, thin) = (advance, narrow)
    glyphs = (0..<12).map { Self.rasterise($0, size: size, width: $0 < 10 ? digit : thin) }
  }

  /// Draws the time of day, in milliseconds.
  func draw(_ milliseconds: Int64, on canvas: Canvas) {
    let day = Int(milliseconds)
    let (hours, minutes, seconds, rest) = (day / 3_600_000, day / 60_000 % 60, day / 1000 % 60, day % 1000)
    let text = [
      hours / 10, hours % 10, 10, minutes / 10, minutes % 10, 10, seconds / 10, seconds % 10, 11, rest / 100,
      rest / 10 % 10, rest % 10,
    ]
    let width = text.reduce(0) { $0 + ($1 < 10 ? advance : narrow) }
    let height = Float(glyphHeight + padding)
    canvas.roundedRectangle(
      x: Float(margin), y: Float(margin), width: Float(width + 2 * padding), height: height, radius: height / 2,
      Colour(0x0B0E16), alpha: 0.62)
    var x = margin + padding
    for glyph in text where glyphs.indices.contains(glyph) {
      canvas.mask(glyphs[glyph], x: x, y: margin + padding / 2, Colour(0xFFFFFF))
      x += glyph < 10 ? advance : narrow
    }
  }

  /// The strokes of a glyph in a box 0.6 wide and 1 high, as lines of points.
  private static func strokes(_ glyph: Int) -> [[SIMD2<Float>]] {
    func arc(_ x: Float, _ y: Float, _ rx: Float, _ ry: Float, _ from: Float, _ to: Float) -> [SIMD2<Float>] {
      (0...20).map { step in
        let angle = (from + (to - from) * Float(step) / 20) * .pi / 180
        return SIMD2(x + rx * cos(angle), y + ry * sin(angle))
      }
    }
    func points(_ values: Float...) -> [SIMD2<Float>] {
      stride(from: 0, to: values.count - 1, by: 2).map { SIMD2(values[$0], values[$0 + 1]) }
    }
    switch glyph {
    case 0: return [arc(0.3, 0.5, 0.22, 0.41, 0, 360)]
    case 1: return [points(0.13, 0.24, 0.34, 0.09, 0.34, 0.91)]
    case 2: return [arc(0.3, 0.31, 0.21, 0.22, 190, 385) + points(0.09, 0.91, 0.53, 0.91)]
    case 3: return [arc(0.28, 0.29, 0.2, 0.2, 205, 450), arc(0.28, 0.695, 0.23, 0.215, 270, 510)]
    case 4: return [points(0.43, 0.91, 0.43, 0.09, 0.06, 0.65, 0.55, 0.65)]
    case 5: return [points(0.5, 0.09, 0.15, 0.09, 0.12, 0.46) + arc(0.29, 0.64, 0.22, 0.27, 222, 500)]
    case 6: return [arc(0.3, 0.65, 0.21, 0.26, 0, 360), arc(0.56, 0.62, 0.47, 0.55, 180, 252)]
    case 7: return [points(0.07, 0.09, 0.53, 0.09, 0.24, 0.91)]
    case 8: return [arc(0.3, 0.28, 0.18, 0.19, 0, 360), arc(0.3, 0.69, 0.22, 0.22, 0, 360)]
    case 9: return [arc(0.3, 0.35, 0.21, 0.26, 0, 360), arc(0.04, 0.38, 0.47, 0.55, 0, 72)]
    case 10: return [points(0.15, 0.33, 0.15, 0.34), points(0.15, 0.74, 0.15, 0.75)]
    default: return [points(0.15, 0.88, 0.15, 0.89)]
    }
  }

  private static func rasterise(_ glyph: Int, size: Float, width: Int) -> AlphaMask {
    let lines = strokes(glyph)
    let radius = size * (glyph < 10 ? 0.058 : 0.075)
    let shift = (Float(width) - size * (glyph < 10 ? 0.6 : 0.3)) / 2
    var mask = AlphaMask(width: width, height: Int(size) + 1, alpha: [])
    for row in 0..<mask.height {
      for column in 0..<mask.width {
        let (x, y) = (Float(column) + 0.5 - shift, Float(row) + 0.5)
        var nearest = Float.infinity
        for line in lines {
          for (from, to) in zip(line, line.dropFirst()) {
            nearest = min(
              nearest, Canvas.distance(x, y, from.x * size, from.y * size, to.x * size, to.y * size))
          }
        }
        mask.alpha.append(UInt8(max(0, min(1, radius - nearest + 0.5)) * 255))
      }
    }
    return mask
  }
}
