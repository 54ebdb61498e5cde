import Glibc

extension Canvas {
  /// Copies a frame; its corner is at even coordinates, and it is cut at the canvas's edges.
  func copy(_ picture: VideoFrame, x: Int, y top: Int) {
    guard x >= 0, top >= 0, x < width, top < height else { return }
    let columns = min(picture.width, width - x)
    let rows = min(picture.height, height - top)
    picture.withPlanes { from, fromU, fromV in
      guard let from = from.baseAddress, let fromU = fromU.baseAddress, let fromV = fromV.baseAddress else { return }
      for row in 0..<rows { memcpy(y + (top + row) * yStride + x, from + row * picture.yStride, columns) }
      let uvColumns = min((columns + 1) / 2, uvWidth - x / 2)
      for row in 0..<min((rows + 1) / 2, uvHeight - top / 2) {
        let target = (top / 2 + row) * uvStride + x / 2
        memcpy(u + target, fromU + row * picture.uvStride, uvColumns)
        memcpy(v + target, fromV + row * picture.uvStride, uvColumns)
      }
    }
  }

  /// Paints what lies outside of the round corners of a box.
  func roundCorners(_ box: GridLayout.Tile, radius: Float, _ colour: Colour) {
    guard radius >= 1 else { return }
    let yuv = colour.yuv
    let size = (radius / 2).rounded(.up) * 2
    let (left, top) = (Float(box.x), Float(box.y))
    let (right, bottom) = (left + Float(box.width), top + Float(box.height))
    for (x, y, centreX, centreY) in [
      (left, top, left + radius, top + radius), (right - size, top, right - radius, top + radius),
      (left, bottom - size, left + radius, bottom - radius),
      (right - size, bottom - size, right - radius, bottom - radius),
    ] {
      paint(left: x, top: y, right: x + size, bottom: y + size) { px, py in
        let dx = centreX < left + radius + 1 ? centreX - px : px - centreX
        let dy = centreY < top + radius + 1 ? centreY - py : py - centreY
        guard dx > 0, dy > 0 else { return (0, yuv) }
        return (max(0, min(1, (dx * dx + dy * dy).squareRoot() - radius + 0.5)), yuv)
      }
    }
  }
}
