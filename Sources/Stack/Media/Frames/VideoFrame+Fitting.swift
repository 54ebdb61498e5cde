extension VideoFrame {
  /// The whole frame in the middle of one of another size, with black bars if the shapes differ; itself when the size
  /// is the same.
  ///
  /// - Precondition: both sides are 2 to ``maximumDimension``.
  ///
  /// Cost: that of scaling, and of a copy if the shapes differ.
  func fitted(width: Int, height: Int) -> VideoFrame {
    let size = size(fitting: width, height)
    // So little comes of rounding: 426×240 is meant to be of the shape of 1280×720.
    if width - size.width <= 4, height - size.height <= 4 { return scaled(width: width, height: height) }
    let picture = scaled(width: size.width, height: size.height)
    // Even, since chroma has half the resolution.
    let (left, top) = ((width - size.width) / 2 & ~1, (height - size.height) / 2 & ~1)
    return VideoFrame(width: width, height: height, time: time) { y, u, v in
      y.update(repeating: 16)
      u.update(repeating: 128)
      v.update(repeating: 128)
      let (yStride, uvStride) = (Self.stride(forWidth: width), Self.stride(forWidth: (width + 1) / 2))
      picture.withPlanes { fromY, fromU, fromV in
        for row in 0..<picture.height {
          Self.copy(fromY, row * picture.yStride, to: y, (top + row) * yStride + left, count: picture.width)
        }
        for row in 0..<picture.uvHeight {
          let (from, to) = (row * picture.uvStride, (top / 2 + row) * uvStride + left / 2)
          Self.copy(fromU, from, to: u, to, count: picture.uvWidth)
          Self.copy(fromV, from, to: v, to, count: picture.uvWidth)
        }
      }
    }
  }

  private static func copy(
    _ source: UnsafeBufferPointer<UInt8>, _ from: Int, to target: UnsafeMutableBufferPointer<UInt8>, _ to: Int,
    count: Int
  ) {
    _ = UnsafeMutableBufferPointer(rebasing: target[to..<(to + count)])
      .update(fromContentsOf: UnsafeBufferPointer(rebasing: source[from..<(from + count)]))
  }
}
