import Glibc

/// A friendly round face that bounces about, looks where it goes, blinks, and moves its mouth while its source speaks.
final class FaceScene: TestScene {
  private let backdrop: Backdrop
  private let unit: Float

  init(width: Int, height: Int) {
    let unit = min(Float(height) / 360, Float(width) / 480)
    self.unit = unit
    backdrop = Backdrop(width: width, height: height) { canvas in
      let size = SIMD2(Float(width), Float(height))
      canvas.gradient { x, y in
        let far = ((x / size.x - 0.5) * (x / size.x - 0.5) + (y / size.y - 0.35) * (y / size.y - 0.35)).squareRoot()
        let wall = Colour(0x5CC9BC).mixed(with: Colour(0x1E7F86), min(1, far * 1.35))
        return y / size.y < 0.84 ? wall : Colour(0x17666D).mixed(with: Colour(0x0F4E57), (y / size.y - 0.84) / 0.16)
      }
    }
  }

  func draw(on canvas: Canvas, seconds: Double, voice: Float) {
    backdrop.draw(on: canvas)
    let size = SIMD2(Float(canvas.width), Float(canvas.height))
    for bubble in 0..<9 {
      let rise = Float(
        (seconds / Double(9 + bubble % 4 * 3) + Double(scatter(bubble, 5))).truncatingRemainder(dividingBy: 1))
      let radius = (8 + 20 * scatter(bubble, 6)) * unit
      canvas.disc(
        x: scatter(bubble, 7) * size.x + 10 * unit * swing(seconds, period: 4, phase: Double(bubble) / 9),
        y: size.y * 0.84 * (1 - rise) - radius, radius: radius, Colour(0xFFFFFF), alpha: 0.10 * min(1, (1 - rise) * 4))
    }

    let radius = 92 * unit
    let floor = size.y * 0.92
    // A bounce is a parabola; near the floor the ball is squashed.
    let hop = Float((seconds / 1.9).truncatingRemainder(dividingBy: 1))
    let air = 4 * hop * (1 - hop)
    let squash = max(0, 1 - air * 6) * 0.13
    let radiusX = radius * (1 + squash)
    let radiusY = radius * (1 - squash)
    let reach = max(0, size.x / 2 - radius * 1.25)
    let drift = swing(seconds, period: 13)
    let x = size.x / 2 + reach * drift
    let y = floor - radiusY - air * (size.y * 0.92 - radius * 2 - 14 * unit)
    let glance = Float(cos(seconds / 13 * 2 * .pi))

    let shadow = 1 - 0.45 * air
    canvas.ellipse(
      x: x, y: floor + 6 * unit, radiusX: radius * 0.9 * shadow, radiusY: 13 * unit * shadow, Colour(0x07343B),
      alpha: 0.5 * shadow)
    drawBody(x, y, radiusX, radiusY, canvas)
    drawFeatures(x + glance * 7 * unit, y, radius, glance, 0.4 - air, seconds, voice, canvas)
  }

  private func drawBody(_ x: Float, _ y: Float, _ radiusX: Float, _ radiusY: Float, _ canvas: Canvas) {
    let bright = Colour(0xFFE27A).yuv
    let dark = Colour(0xF29B38).yuv
    canvas.paint(left: x - radiusX - 1, top: y - radiusY - 1, right: x + radiusX + 1, bottom: y + radiusY + 1) {
      px, py in
      let dx = (px - x) / radiusX
      let dy = (py - y) / radiusY
      let square = dx * dx + dy * dy
      if square > 1.1 { return (0, bright) }
      let lx = dx + 0.34
      let ly = dy + 0.42
      let fade = min(1, (lx * lx + ly * ly) * 0.42)
      let cover = square < 0.95 ? 1 : max(0, min(1, (1 - square.squareRoot()) * radiusX + 0.5))
      return (cover, bright + (dark - bright) * fade)
    }
    canvas.ellipse(
      x: x - radiusX * 0.38, y: y - radiusY * 0.60, radiusX: radiusX * 0.2, radiusY: radiusY * 0.1, Colour(0xFFFFFF),
      alpha: 0.45)
  }

  private func drawFeatures(
    _ x: Float, _ y: Float, _ radius: Float, _ glance: Float, _ lift: Float, _ seconds: Double, _ voice: Float,
    _ canvas: Canvas
  ) {
    let ink = Colour(0x4A2B17)
    // Closes and opens within 0.18 s.
    let blink = Float((seconds / 3.4).truncatingRemainder(dividingBy: 1) * 3.4)
    let open = blink < 0.18 ? abs(blink / 0.09 - 1) : 1
    for side in [Float(-1), 1] {
      let eyeX = x + side * radius * 0.33
      let eyeY = y - radius * 0.16
      canvas.ellipse(
        x: x + side * radius * 0.55, y: y + radius * 0.24, radiusX: radius * 0.15, radiusY: radius * 0.1,
        Colour(0xFF7F5C), alpha: 0.45)
      canvas.line(
        x0: eyeX - radius * 0.14, y0: eyeY - radius * (0.32 + 0.06 * voice + side * 0.015), x1: eyeX + radius * 0.14,
        y1: eyeY - radius * (0.32 + 0.06 * voice - side * 0.015), thickness: radius * 0.06, ink, alpha: 0.85)
      if open < 0.25 {
        canvas.line(
          x0: eyeX - radius * 0.15, y0: eyeY, x1: eyeX + radius * 0.15, y1: eyeY, thickness: radius * 0.055, ink)
        continue
      }
      canvas.ellipse(x: eyeX, y: eyeY, radiusX: radius * 0.17, radiusY: radius * 0.22 * open, Colour(0xFFFFFF))
      let pupilX = eyeX + glance * radius * 0.06
      let pupilY = eyeY + lift * radius * 0.1
      canvas.ellipse(x: pupilX, y: pupilY, radiusX: radius * 0.09, radiusY: radius * 0.115 * min(1, open * 1.2), ink)
      canvas.disc(
        x: pupilX - radius * 0.03, y: pupilY - radius * 0.04, radius: radius * 0.03 * open, Colour(0xFFFFFF))
    }
    drawMouth(x, y + radius * 0.36, radius, voice, ink, canvas)
  }

  /// A smile while silent; an open mouth with a tongue that follows the voice.
  private func drawMouth(_ x: Float, _ y: Float, _ radius: Float, _ voice: Float, _ ink: Colour, _ canvas: Canvas) {
    if voice < 0.08 {
      var from = SIMD2(x - radius * 0.26, y - radius * 0.02)
      for step in 1...8 {
        let along = Float(step) / 8 * 2 - 1
        let to = SIMD2(x + along * radius * 0.26, y - radius * 0.02 + (1 - along * along) * radius * 0.13)
        canvas.line(x0: from.x, y0: from.y, x1: to.x, y1: to.y, thickness: radius * 0.06, ink)
        from = to
      }
      return
    }
    let height = radius * (0.06 + 0.17 * voice)
    let width = radius * (0.25 - 0.05 * voice)
    canvas.ellipse(x: x, y: y + height * 0.5, radiusX: width, radiusY: height, Colour(0x6B2420))
    canvas.ellipse(x: x, y: y + height * 0.95, radiusX: width * 0.6, radiusY: height * 0.42, Colour(0xE8675E))
  }
}
