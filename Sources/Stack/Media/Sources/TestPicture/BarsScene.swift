import Glibc

/// A test card: colour bars, a grey wedge, and a hand that goes round once in two seconds so that frozen video is seen
/// at once.
final class BarsScene: TestScene {
  private let backdrop: Backdrop

  init(width: Int, height: Int) {
    backdrop = Backdrop(width: width, height: height) { canvas in
      let bars: [UInt32] = [0xBFBFBF, 0xBFBF00, 0x00BFBF, 0x00BF00, 0xBF00BF, 0xBF0000, 0x0000BF]
      canvas.clear(Colour(0x101010))
      for (index, colour) in bars.enumerated() {
        let left = index * width / bars.count
        canvas.fill(
          x: left, y: 0, width: (index + 1) * width / bars.count - left, height: height * 3 / 4, Colour(colour))
      }
      for step in 0..<16 {
        let left = step * width / 16
        let grey = Float(step) / 15
        canvas.fill(
          x: left, y: height * 3 / 4, width: (step + 1) * width / 16 - left, height: height / 8,
          Colour(red: grey, green: grey, blue: grey))
      }
    }
  }

  func draw(on canvas: Canvas, seconds: Double, voice: Float) {
    backdrop.draw(on: canvas)
    let x = Float(canvas.width) / 2
    let y = Float(canvas.height) * 0.42
    let radius = Float(canvas.height) * 0.22 * (1 + 0.15 * voice)
    let angle = Float((seconds / 2).truncatingRemainder(dividingBy: 1) * 2 * .pi)
    canvas.disc(x: x, y: y, radius: radius, Colour(0x101418))
    canvas.disc(x: x, y: y, radius: radius * 0.94, Colour(0xF4F4F0))
    canvas.line(
      x0: x, y0: y, x1: x + sin(angle) * radius * 0.82, y1: y - cos(angle) * radius * 0.82, thickness: radius * 0.07,
      Colour(0xC8321E))
    canvas.disc(x: x, y: y, radius: radius * 0.08, Colour(0x101418))
  }
}
