import CYUV

extension VideoFrame {
  /// The peak signal-to-noise ratio of two frames over all three planes, in decibels. Above 30 they look alike, above
  /// 40 the same; identical ones give 128. nil when their sizes differ.
  ///
  /// Cost: about 0.2 ms for 1280×720.
  ///
  /// ```swift
  /// let small = frame.scaled(width: 320, height: 180).scaled(width: frame.width, height: frame.height)
  /// if let decibels = frame.peakSignalToNoiseRatio(to: small) { print("Scaling leaves \(decibels) dB.") }
  /// ```
  public func peakSignalToNoiseRatio(to other: VideoFrame) -> Double? {
    guard width == other.width, height == other.height else { return nil }
    return withPlanes { y, u, v in
      other.withPlanes { y2, u2, v2 in
        I420Psnr(
          y.baseAddress, Int32(yStride), u.baseAddress, Int32(uvStride), v.baseAddress, Int32(uvStride),
          y2.baseAddress, Int32(other.yStride), u2.baseAddress, Int32(other.uvStride), v2.baseAddress,
          Int32(other.uvStride), Int32(width), Int32(height))
      }
    }
  }
}
