import Basics
import CYUV

extension VideoFrame {
  /// A copy of a library's planes, which have `height` rows (chroma half, rounded up). The size was checked.
  convenience init(
    copyingY y: UnsafePointer<UInt8>, stride: Int, u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>, chromaStride: Int,
    width: Int, height: Int, time: Instant
  ) {
    let uvTo = Int32(Self.stride(forWidth: (width + 1) / 2))
    self.init(width: width, height: height, time: time) { yTo, uTo, vTo in
      _ = I420Copy(
        y, Int32(stride), u, Int32(chromaStride), v, Int32(chromaStride), yTo.baseAddress,
        Int32(Self.stride(forWidth: width)), uTo.baseAddress, uvTo, vTo.baseAddress, uvTo, Int32(width), Int32(height))
    }
  }
}
