import CYUV

extension VideoFrame {
  /// The rotation of a frame, clockwise, in degrees.
  ///
  /// ```swift
  /// func rotation(quarterTurns: Int) -> VideoFrame.Rotation {
  ///   switch quarterTurns {
  ///   case 1: .quarter
  ///   case 2: .half
  ///   case 3: .threeQuarters
  ///   default: .none
  ///   }
  /// }
  /// ```
  public enum Rotation: Int, Hashable, Sendable, CaseIterable {
    case none = 0
    /// A quarter: what was at the top is at the right.
    case quarter = 90
    case half = 180
    /// Three quarters: what was at the top is at the left.
    case threeQuarters = 270
  }

  /// The frame turned clockwise; itself when it is not turned. A quarter swaps width and height.
  ///
  /// ```swift
  /// let upright = frame.width > frame.height ? frame.rotated(.quarter) : frame
  /// ```
  ///
  /// Cost: about 0.3 ms for 1280×720, and one allocation.
  public func rotated(_ rotation: Rotation) -> VideoFrame {
    let (mode, isOnItsSide): (RotationMode, Bool) =
      switch rotation {
      case .none: (kRotate0, false)
      case .quarter: (kRotate90, true)
      case .half: (kRotate180, false)
      case .threeQuarters: (kRotate270, true)
      }
    guard rotation != .none else { return self }
    let (newWidth, newHeight) = isOnItsSide ? (height, width) : (width, height)
    let uvTo = Int32(Self.stride(forWidth: (newWidth + 1) / 2))
    return VideoFrame(width: newWidth, height: newHeight, time: time) { yTo, uTo, vTo in
      withPlanes { y, u, v in
        _ = I420Rotate(
          y.baseAddress, Int32(yStride), u.baseAddress, Int32(uvStride), v.baseAddress, Int32(uvStride),
          yTo.baseAddress, Int32(Self.stride(forWidth: newWidth)), uTo.baseAddress, uvTo, vTo.baseAddress, uvTo,
          Int32(width), Int32(height), mode)
      }
    }
  }
}
