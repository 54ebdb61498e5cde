import Basics
import Glibc

/// The scene that a ``TestPictureSource`` draws below its clock and marker. Used from one thread.
protocol TestScene: AnyObject {
  /// Draws the whole frame.
  /// - Parameters:
  ///   - seconds: A time that only goes forward, for movement.
  ///   - voice: How loud the source speaks just now, 0 to 1.
  func draw(on canvas: Canvas, seconds: Double, voice: Float)
}

extension TestScene {
  /// A position between -1 and 1 that swings with a period in seconds.
  func swing(_ seconds: Double, period: Double, phase: Double = 0) -> Float {
    Float(sin((seconds / period + phase) * 2 * .pi))
  }
}

/// A background that a scene draws once and lays under every frame; copying it is the cheapest way to fill a frame.
struct Backdrop {
  private let frame: VideoFrame

  init(width: Int, height: Int, draw: (Canvas) -> Void) {
    frame = VideoFrame(width: width, height: height, time: .zero) { y, u, v in
      if let canvas = Canvas(width: width, height: height, y, u, v) { draw(canvas) }
    }
  }

  /// Copies the backdrop over the whole canvas, which has its size.
  func draw(on canvas: Canvas) {
    frame.withPlanes { y, u, v in
      if let base = y.baseAddress { memcpy(canvas.y, base, y.count) }
      if let base = u.baseAddress { memcpy(canvas.u, base, u.count) }
      if let base = v.baseAddress { memcpy(canvas.v, base, v.count) }
    }
  }
}

/// A number between 0 and 1 that looks random and is the same for the same seeds, for stars, grain and rhythm.
@inline(__always) func scatter(_ a: Int, _ b: Int = 0) -> Float {
  var x = UInt64(bitPattern: Int64(a)) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: Int64(b)) &* 0xD1B5_4A32_D192_ED03
  x = (x ^ (x >> 32)) &* 0xD6E8_FEB8_6659_FD93
  x = (x ^ (x >> 32)) &* 0xD6E8_FEB8_6659_FD93
  return Float(x >> 40) / Float(1 << 24)
}

extension Canvas {
  /// Fills everything with colours that change smoothly, with a grain too fine to see that keeps eight bits from
  /// showing as bands. For backdrops: it costs some milliseconds.
  func gradient(_ colour: (_ x: Float, _ y: Float) -> Colour) {
    paint(left: 0, top: 0, right: Float(width), bottom: Float(height)) { x, y in
      let grain = scatter(Int(x * 2), Int(y * 2)) - 0.5
      return (1, colour(x, y).yuv + SIMD3(repeating: grain))
    }
  }

  /// A filled shape without dents, corners clockwise, with a soft edge.
  func convex(_ corners: [SIMD2<Float>], _ colour: Colour, alpha: Float = 1) {
    guard let first = corners.first else { return }
    var low = first
    var high = first
    var edges: [(point: SIMD2<Float>, normal: SIMD2<Float>)] = []
    for (index, corner) in corners.enumerated() {
      low = pointwiseMin(low, corner)
      high = pointwiseMax(high, corner)
      let edge = corners[(index + 1) % corners.count] - corner
      let length = max((edge * edge).sum().squareRoot(), 0.001)
      edges.append((corner, SIMD2(-edge.y, edge.x) / length))
    }
    let yuv = colour.yuv
    edges.withUnsafeBufferPointer { edges in
      paint(left: low.x - 1, top: low.y - 1, right: high.x + 1, bottom: high.y + 1) { x, y in
        var cover: Float = 1
        for edge in edges {
          cover = min(cover, ((SIMD2(x, y) - edge.point) * edge.normal).sum() + 0.5)
        }
        return (max(0, cover) * alpha, yuv)
      }
    }
  }
}
