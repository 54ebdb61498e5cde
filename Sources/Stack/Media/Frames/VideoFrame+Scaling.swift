import CYUV

extension VideoFrame {
  /// How much care scaling takes.
  ///
  /// ```swift
  /// func quality(forThumbnail isThumbnail: Bool, fast: Bool) -> VideoFrame.ScalingQuality {
  ///   isThumbnail ? .box : fast ? .nearest : .bilinear
  /// }
  /// ```
  public enum ScalingQuality: Hashable, Sendable {
    /// Takes the nearest pixel: for looking at, not for sending.
    case nearest
    /// Interpolates between neighbours; flickers when shrinking to less than half.
    case bilinear
    /// Averages all pixels that fall into one when shrinking, interpolates when growing. The choice for encoders.
    case box
  }

  /// The frame at another size; itself when the size is the same. The aspect is not kept: choose the size accordingly
  /// (``size(fitting:_:)``).
  ///
  /// ```swift
  /// let thumbnail = frame.scaled(width: 160, height: 90)
  /// ```
  ///
  /// - Precondition: both sides are 1 to ``maximumDimension``.
  ///
  /// Cost: about 0.3 ms from 1280×720 to 640×360, and one allocation.
  public func scaled(width newWidth: Int, height newHeight: Int, quality: ScalingQuality = .box) -> VideoFrame {
    if newWidth == width, newHeight == height { return self }
    let filter: FilterMode =
      switch quality {
      case .nearest: kFilterNone
      case .bilinear: kFilterBilinear
      case .box: kFilterBox
      }
    let uvTo = Int32(Self.stride(forWidth: (newWidth + 1) / 2))
    return VideoFrame(width: newWidth, height: newHeight, time: time) { yTo, uTo, vTo in
      withPlanes { y, u, v in
        _ = I420Scale(
          y.baseAddress, Int32(yStride), u.baseAddress, Int32(uvStride), v.baseAddress, Int32(uvStride),
          Int32(width), Int32(height), yTo.baseAddress, Int32(Self.stride(forWidth: newWidth)), uTo.baseAddress, uvTo,
          vTo.baseAddress, uvTo, Int32(newWidth), Int32(newHeight), filter)
      }
    }
  }

  /// A part of the frame. The corner is moved to even coordinates, since chroma has half the resolution, and the size
  /// is cut at the frame's edges.
  ///
  /// ```swift
  /// let middle = frame.cropped(
  ///   x: frame.width / 4, y: frame.height / 4, width: frame.width / 2, height: frame.height / 2)
  /// ```
  ///
  /// - Precondition: the corner lies inside the frame, and the size is at least 1×1.
  ///
  /// Cost: a copy of the part.
  public func cropped(x: Int, y: Int, width newWidth: Int, height newHeight: Int) -> VideoFrame {
    precondition(x >= 0 && y >= 0 && x < width && y < height && newWidth > 0 && newHeight > 0)
    let (left, top) = (x & ~1, y & ~1)
    let (w, h) = (min(newWidth, width - left), min(newHeight, height - top))
    let uvTo = Int32(Self.stride(forWidth: (w + 1) / 2))
    return VideoFrame(width: w, height: h, time: time) { yTo, uTo, vTo in
      withPlanes { y, u, v in
        let luma = top * yStride + left
        let chroma = top / 2 * uvStride + left / 2
        _ = I420Copy(
          y.baseAddress.map { $0 + luma }, Int32(yStride), u.baseAddress.map { $0 + chroma }, Int32(uvStride),
          v.baseAddress.map { $0 + chroma }, Int32(uvStride), yTo.baseAddress, Int32(Self.stride(forWidth: w)),
          uTo.baseAddress, uvTo, vTo.baseAddress, uvTo, Int32(w), Int32(h))
      }
    }
  }

  /// The largest size of this frame's aspect that fits into a box, both sides even and at least 2.
  ///
  /// ```swift
  /// let size = frame.size(fitting: 160, 90)
  /// let thumbnail = frame.scaled(width: size.width, height: size.height)
  /// ```
  public func size(fitting boxWidth: Int, _ boxHeight: Int) -> (width: Int, height: Int) {
    let byWidth = boxWidth * height <= boxHeight * width
    let w = byWidth ? boxWidth : boxHeight * width / height
    let h = byWidth ? boxWidth * height / width : boxHeight
    return (max(w & ~1, 2), max(h & ~1, 2))
  }
}
