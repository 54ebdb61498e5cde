import Glibc

/// Draws shapes with soft edges straight into the planes of a frame, for test videos and composed frames. Everything is
/// clipped to the frame. Coordinates are in pixels of the Y plane; the middle of the first pixel is (0.5, 0.5).
///
/// Valid only while the planes are lent to it.
struct Canvas {
  let width: Int
  let height: Int
  let yStride: Int
  let uvStride: Int
  let y: UnsafeMutablePointer<UInt8>
  let u: UnsafeMutablePointer<UInt8>
  let v: UnsafeMutablePointer<UInt8>

  var uvWidth: Int { (width + 1) / 2 }
  var uvHeight: Int { (height + 1) / 2 }

  /// A canvas on the planes that ``VideoFrame`` lends for filling; nil for a frame without pixels, which there is none
  /// of.
  init?(
    width: Int, height: Int, _ y: UnsafeMutableBufferPointer<UInt8>, _ u: UnsafeMutableBufferPointer<UInt8>,
    _ v: UnsafeMutableBufferPointer<UInt8>
  ) {
    guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress else { return nil }
    self.width = width
    self.height = height
    yStride = (width + 15) & ~15
    uvStride = ((width + 1) / 2 + 15) & ~15
    self.y = y
    self.u = u
    self.v = v
  }

  /// Fills a rectangle with one colour, hard edges.
  func fill(x: Int, y top: Int, width: Int, height: Int, _ colour: Colour) {
    let left = max(x, 0)
    let right = min(x + width, self.width)
    let bottom = min(top + height, self.height)
    let first = max(top, 0)
    guard left < right, first < bottom else { return }
    for row in first..<bottom { memset(y + row * yStride + left, Int32(colour.y), right - left) }
    let uvLeft = (left + 1) / 2
    let uvRight = (right + 1) / 2
    guard uvLeft < uvRight else { return }
    for row in ((first + 1) / 2)..<max((bottom + 1) / 2, (first + 1) / 2) {
      memset(u + row * uvStride + uvLeft, Int32(colour.u), uvRight - uvLeft)
      memset(v + row * uvStride + uvLeft, Int32(colour.v), uvRight - uvLeft)
    }
  }

  func clear(_ colour: Colour) { fill(x: 0, y: 0, width: width, height: height, colour) }

  /// Lays colour over the pixels of a box: `shade` gives, for a point, how much (0 to 1) and which. It is asked once a
  /// pixel of each plane, so 1.5 times a pixel.
  @inline(__always) func paint(
    left: Float, top: Float, right: Float, bottom: Float, _ shade: (_ x: Float, _ y: Float) -> (Float, SIMD3<Float>)
  ) {
    let x0 = max(Int(left.rounded(.down)), 0)
    let x1 = min(Int(right.rounded(.up)), width)
    let y0 = max(Int(top.rounded(.down)), 0)
    let y1 = min(Int(bottom.rounded(.up)), height)
    guard x0 < x1, y0 < y1 else { return }
    for row in y0..<y1 {
      let line = y + row * yStride
      for column in x0..<x1 {
        let (alpha, colour) = shade(Float(column) + 0.5, Float(row) + 0.5)
        if alpha > 0 { line[column] = blend(line[column], colour.x, alpha) }
      }
    }
    for row in (y0 / 2)..<((y1 + 1) / 2) {
      let uLine = u + row * uvStride
      let vLine = v + row * uvStride
      for column in (x0 / 2)..<((x1 + 1) / 2) {
        let (alpha, colour) = shade(Float(column * 2 + 1), Float(row * 2 + 1))
        if alpha > 0 {
          uLine[column] = blend(uLine[column], colour.y, alpha)
          vLine[column] = blend(vLine[column], colour.z, alpha)
        }
      }
    }
  }

  @inline(__always) private func blend(_ below: UInt8, _ above: Float, _ alpha: Float) -> UInt8 {
    let base = Float(below)
    // Both ends are 0 to 255 and alpha at most 1, so the sum is too.
    return UInt8(truncatingIfNeeded: Int32(base + (above - base) * min(alpha, 1) + 0.5))
  }

  /// An ellipse of one colour with a soft edge.
  func ellipse(x: Float, y: Float, radiusX: Float, radiusY: Float, _ colour: Colour, alpha: Float = 1) {
    guard radiusX > 0.1, radiusY > 0.1 else { return }
    let smaller = min(radiusX, radiusY)
    let yuv = colour.yuv
    // Well inside the edge no root is needed, and that is most of the shape.
    let inside = max(0, 1 - 1 / smaller) * max(0, 1 - 1 / smaller)
    paint(left: x - radiusX - 1, top: y - radiusY - 1, right: x + radiusX + 1, bottom: y + radiusY + 1) { px, py in
      let dx = (px - x) / radiusX
      let dy = (py - y) / radiusY
      let square = dx * dx + dy * dy
      if square < inside { return (alpha, yuv) }
      if square > 2 { return (0, yuv) }
      // The distance to the edge, right where the edge is and near enough elsewhere.
      let cover = (1 - square.squareRoot()) * smaller + 0.5
      return (max(0, min(1, cover)) * alpha, yuv)
    }
  }

  /// A disc of one colour with a soft edge.
  func disc(x: Float, y: Float, radius: Float, _ colour: Colour, alpha: Float = 1) {
    ellipse(x: x, y: y, radiusX: radius, radiusY: radius, colour, alpha: alpha)
  }

  /// Light that fades from the middle outwards.
  func glow(x: Float, y: Float, radius: Float, _ colour: Colour, strength: Float) {
    let yuv = colour.yuv
    let scale = 1 / (radius * radius)
    paint(left: x - radius, top: y - radius, right: x + radius, bottom: y + radius) { px, py in
      let fade = max(0, 1 - ((px - x) * (px - x) + (py - y) * (py - y)) * scale)
      return (fade * fade * strength, yuv)
    }
  }

  /// A line with round ends.
  func line(x0: Float, y0: Float, x1: Float, y1: Float, thickness: Float, _ colour: Colour, alpha: Float = 1) {
    let radius = thickness / 2
    let yuv = colour.yuv
    paint(
      left: min(x0, x1) - radius - 1, top: min(y0, y1) - radius - 1, right: max(x0, x1) + radius + 1,
      bottom: max(y0, y1) + radius + 1
    ) { px, py in
      let distance = Canvas.distance(px, py, x0, y0, x1, y1)
      return (max(0, min(1, radius - distance + 0.5)) * alpha, yuv)
    }
  }

  /// A rectangle with round corners: filled, or only its outline when `thickness` is given (the line lies inside).
  func roundedRectangle(
    x: Float, y: Float, width: Float, height: Float, radius: Float, _ colour: Colour, alpha: Float = 1,
    thickness: Float? = nil
  ) {
    let yuv = colour.yuv
    let halfWidth = width / 2
    let halfHeight = height / 2
    let centreX = x + halfWidth
    let centreY = y + halfHeight
    let radius = min(radius, halfWidth, halfHeight)
    let shade = { (px: Float, py: Float) -> (Float, SIMD3<Float>) in
      let dx = abs(px - centreX) - halfWidth + radius
      let dy = abs(py - centreY) - halfHeight + radius
      let outside =
        (max(dx, 0) * max(dx, 0) + max(dy, 0) * max(dy, 0)).squareRoot() + min(max(dx, dy), 0) - radius
      var cover = max(0, min(1, 0.5 - outside))
      if let thickness { cover = min(cover, max(0, min(1, outside + thickness + 0.5))) }
      return (cover * alpha, yuv)
    }
    guard let thickness else {
      paint(left: x - 1, top: y - 1, right: x + width + 1, bottom: y + height + 1, shade)
      return
    }
    // Only the four sides: the middle of an outline is empty and would cost a pass over the whole box. Their ends are
    // cut on even pixels, so that no chroma pixel is painted twice.
    let band = 2 * ((thickness + radius) / 2 + 1).rounded(.up)
    let innerTop = 2 * ((y + band) / 2).rounded(.down)
    let innerBottom = 2 * ((y + height - band) / 2).rounded(.up)
    guard innerTop < innerBottom else {
      paint(left: x - 1, top: y - 1, right: x + width + 1, bottom: y + height + 1, shade)
      return
    }
    let innerLeft = 2 * ((x + band) / 2).rounded(.down)
    let innerRight = 2 * ((x + width - band) / 2).rounded(.up)
    paint(left: x - 1, top: y - 1, right: x + width + 1, bottom: innerTop, shade)
    paint(left: x - 1, top: innerBottom, right: x + width + 1, bottom: y + height + 1, shade)
    paint(left: x - 1, top: innerTop, right: innerLeft, bottom: innerBottom, shade)
    paint(left: innerRight, top: innerTop, right: x + width + 1, bottom: innerBottom, shade)
  }

  /// Lays one colour over the frame through a mask.
  func mask(_ mask: AlphaMask, x left: Int, y top: Int, _ colour: Colour, alpha: Float = 1) {
    let x0 = max(left, 0)
    let x1 = min(left + mask.width, width)
    let y0 = max(top, 0)
    let y1 = min(top + mask.height, height)
    guard x0 < x1, y0 < y1 else { return }
    let yuv = colour.yuv
    mask.alpha.withUnsafeBufferPointer { bytes in
      for row in y0..<y1 {
        let line = y + row * yStride
        for column in x0..<x1 {
          let cover = bytes[(row - top) * mask.width + column - left]
          if cover > 0 { line[column] = blend(line[column], yuv.x, Float(cover) / 255 * alpha) }
        }
      }
      for row in (y0 / 2)..<((y1 + 1) / 2) {
        for column in (x0 / 2)..<((x1 + 1) / 2) {
          // One of the four pixels under a chroma pixel stands for all of them: text is thin, the eye sees its luma.
          let maskRow = min(max(row * 2 - top, 0), mask.height - 1)
          let maskColumn = min(max(column * 2 - left, 0), mask.width - 1)
          let cover = bytes[maskRow * mask.width + maskColumn]
          if cover > 0 {
            let share = Float(cover) / 255 * alpha
            u[row * uvStride + column] = blend(u[row * uvStride + column], yuv.y, share)
            v[row * uvStride + column] = blend(v[row * uvStride + column], yuv.z, share)
          }
        }
      }
    }
  }

  /// How far a point is from the line between two others.
  @inline(__always) static func distance(
    _ px: Float, _ py: Float, _ x0: Float, _ y0: Float, _ x1: Float, _ y1: Float
  ) -> Float {
    let dx = x1 - x0
    let dy = y1 - y0
    let length = dx * dx + dy * dy
    let along = length > 0 ? max(0, min(1, ((px - x0) * dx + (py - y0) * dy) / length)) : 0
    let ex = px - x0 - dx * along
    let ey = py - y0 - dy * along
    return (ex * ex + ey * ey).squareRoot()
  }
}

/// How much of each pixel a shape covers, 0 to 255, row by row without gaps.
struct AlphaMask: Sendable {
  var width: Int
  var height: Int
  var alpha: [UInt8]
}
