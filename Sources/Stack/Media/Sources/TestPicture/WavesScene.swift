import Glibc

/// Waves in evening light that roll at different speeds, a low sun, and a paper boat that rocks harder while its source
/// speaks.
final class WavesScene: TestScene {
  private struct Layer {
    var level: Float
    var height: Float
    var length: Float
    var speed: Double
    var top: Colour
    var foot: Colour
  }

  private static let layers = [
    Layer(level: 0.52, height: 9, length: 230, speed: 0.055, top: Colour(0xF08A6B), foot: Colour(0xC9587A)),
    Layer(level: 0.60, height: 12, length: 310, speed: -0.07, top: Colour(0xC4567E), foot: Colour(0x8E3F86)),
    Layer(level: 0.69, height: 15, length: 270, speed: 0.095, top: Colour(0x8A4593), foot: Colour(0x553488)),
    Layer(level: 0.79, height: 17, length: 360, speed: -0.12, top: Colour(0x4F3F98), foot: Colour(0x2B2B70)),
    Layer(level: 0.90, height: 15, length: 300, speed: 0.16, top: Colour(0x2A3A80), foot: Colour(0x10194A)),
  ]

  private let backdrop: Backdrop
  private let unit: Float
  /// The crest of each layer in each column, in eighths of a pixel; rewritten for each frame.
  private var crests: [[Int16]]
  /// The colour of each layer in each row.
  private let rows: [[SIMD3<Int16>]]

  init(width: Int, height: Int) {
    unit = Float(height) / 360
    crests = Self.layers.map { _ in [Int16](repeating: 0, count: width) }
    rows = Self.layers.map { layer in
      (0..<height).map { row in
        let depth = (Float(row) / Float(height) - layer.level + 0.05) / 0.22
        let colour = layer.top.mixed(with: layer.foot, max(0, min(1, depth)))
        return SIMD3(Int16(colour.y), Int16(colour.u), Int16(colour.v))
      }
    }
    backdrop = Backdrop(width: width, height: height) { canvas in
      let size = SIMD2(Float(width), Float(height))
      canvas.gradient { x, y in
        let down = y / size.y / 0.56
        return down < 0.55
          ? Colour(0x39306E).mixed(with: Colour(0xC05C86), down / 0.55)
          : Colour(0xC05C86).mixed(with: Colour(0xFFC27A), min(1, (down - 0.55) / 0.45))
      }
      let sun = SIMD2(size.x * 0.68, size.y * 0.43)
      canvas.glow(x: sun.x, y: sun.y, radius: size.y * 0.5, Colour(0xFFD9A0), strength: 0.7)
      canvas.disc(x: sun.x, y: sun.y, radius: size.y * 0.115, Colour(0xFFEFC9))
    }
  }

  func draw(on canvas: Canvas, seconds: Double, voice: Float) {
    backdrop.draw(on: canvas)
    for index in Self.layers.indices {
      rollWave(index, canvas, seconds, voice)
      fillWave(index, canvas)
      if index == 2 { drawBoat(canvas, seconds, voice) }
    }
  }

  private func crest(_ layer: Layer, _ x: Float, _ canvas: Canvas, _ seconds: Double, _ voice: Float) -> Float {
    let along = x / (layer.length * unit)
    let move = Float((seconds * layer.speed).truncatingRemainder(dividingBy: 1)) * 2 * .pi
    let swell = sin(along * 2 * .pi + move * 2) + 0.45 * sin(along * 4.4 * .pi - move * 3)
    return layer.level * Float(canvas.height) - swell * layer.height * unit * (0.8 + 0.6 * voice)
  }

  private func rollWave(_ index: Int, _ canvas: Canvas, _ seconds: Double, _ voice: Float) {
    let layer = Self.layers[index]
    // Every eighth column is computed, those between lie on a line: sines are what would cost.
    var left = crest(layer, 0, canvas, seconds, voice)
    var column = 0
    crests[index].withUnsafeMutableBufferPointer { crest in
      while column < canvas.width {
        let right = self.crest(layer, Float(column + 8), canvas, seconds, voice)
        for step in 0..<min(8, canvas.width - column) {
          let height = left + (right - left) * Float(step) / 8
          crest[column + step] = Int16(max(-30000, min(30000, height * 8)))
        }
        left = right
        column += 8
      }
    }
  }

  /// Blends a layer below its crest. Rows wholly under the crest are set, rows above it left alone; only those that the
  /// crest crosses are looked at pixel by pixel.
  private func fillWave(_ index: Int, _ canvas: Canvas) {
    crests[index].withUnsafeBufferPointer { crest in
      guard let highest = crest.min(), let lowest = crest.max() else { return }
      let first = max(0, Int(highest) / 8 - 1)
      let full = min(canvas.height, Int(lowest) / 8 + 2)
      // Lower layers cover this one from some row on; it need not be drawn there.
      let end = min(canvas.height, full + Int(Float(canvas.height) * 0.2))
      guard first < end else { return }
      for row in first..<end {
        let colour = rows[index][row]
        let line = canvas.y + row * canvas.yStride
        if row >= full {
          memset(line, Int32(colour.x), canvas.width)
        } else {
          let height = Int16(row * 8 + 4)
          for column in 0..<canvas.width {
            let cover = max(0, min(8, height &- crest[column] &+ 4))
            let below = Int16(line[column])
            line[column] = UInt8(truncatingIfNeeded: below &+ ((colour.x &- below) &* cover) >> 3)
          }
        }
      }
      for row in (first / 2)..<((end + 1) / 2) {
        let colour = rows[index][min(row * 2, canvas.height - 1)]
        let u = canvas.u + row * canvas.uvStride
        let v = canvas.v + row * canvas.uvStride
        if row * 2 >= full {
          memset(u, Int32(colour.y), canvas.uvWidth)
          memset(v, Int32(colour.z), canvas.uvWidth)
        } else {
          let height = Int16(row * 16 + 8)
          for column in 0..<canvas.uvWidth {
            let cover = max(0, min(16, height &- crest[min(column * 2, canvas.width - 1)] &+ 8))
            let belowU = Int16(u[column])
            let belowV = Int16(v[column])
            u[column] = UInt8(truncatingIfNeeded: belowU &+ ((colour.y &- belowU) &* cover) >> 4)
            v[column] = UInt8(truncatingIfNeeded: belowV &+ ((colour.z &- belowV) &* cover) >> 4)
          }
        }
      }
    }
  }

  private func drawBoat(_ canvas: Canvas, _ seconds: Double, _ voice: Float) {
    let layer = Self.layers[2]
    let width = Float(canvas.width)
    // Out of the picture on the right, in again on the left.
    let x = Float((seconds / 40 + 0.3).truncatingRemainder(dividingBy: 1)) * (width + 120 * unit) - 60 * unit
    let here = crest(layer, x, canvas, seconds, voice)
    let slope =
      crest(layer, x + 18 * unit, canvas, seconds, voice) - crest(layer, x - 18 * unit, canvas, seconds, voice)
    let angle =
      0.55 * atan(slope / (36 * unit)) + 0.04 * swing(seconds, period: 2.3) + 0.1 * voice * swing(seconds, period: 0.7)
    let cosine = cos(angle)
    let sine = sin(angle)
    func at(_ dx: Float, _ dy: Float) -> SIMD2<Float> {
      SIMD2(x + (dx * cosine - dy * sine) * unit, here + (dx * sine + dy * cosine) * unit)
    }
    canvas.convex([at(-2, -62), at(26, -18), at(-2, -14)], Colour(0xFFF7EA))
    canvas.convex([at(-5, -52), at(-5, -14), at(-24, -17)], Colour(0xF3D9C4))
    canvas.convex([at(-36, -12), at(38, -12), at(24, 7), at(-24, 7)], Colour(0xFFFFFF))
    canvas.convex([at(-36, -12), at(38, -12), at(33, -5), at(-31, -5)], Colour(0xE5604D))
  }
}
