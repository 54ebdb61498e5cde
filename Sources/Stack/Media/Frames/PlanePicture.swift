package import Basics
import CYUV

/// A frame whose planes lie in an app's memory, with gaps between their rows: converted from there, and to there, in
/// one pass.
package struct PlanePicture {
  /// How the bytes are laid out.
  package enum Layout: Sendable {
    /// Planes Y, U and V; U and V have half the width and height, rounded up.
    case i420
    /// Plane Y, then U and V interleaved.
    case nv12
    /// Alpha, red, green, blue.
    case argb
    /// Blue, green, red, alpha.
    case bgra
    case rgb
  }

  private let layout: Layout
  private let width: Int
  private let height: Int
  private let planes: [(pointer: UnsafeMutablePointer<UInt8>, stride: Int)]
  private let isFullRange: Bool

  /// A frame in memory that stays until it was converted.
  ///
  /// - Parameters:
  ///   - planes: The address of each plane, and the bytes from one of its rows to the next.
  ///   - isFullRange: Whether brightness and colour take all 256 values; video has 220 and 225 (ITU-R BT.601). For
  ///     planes Y, U and V.
  package init(
    layout: Layout, width: Int, height: Int, planes: [(pointer: UnsafeMutablePointer<UInt8>, stride: Int)],
    isFullRange: Bool = false
  ) {
    (self.layout, self.width, self.height) = (layout, width, height)
    (self.planes, self.isFullRange) = (planes, isFullRange)
  }

  private var planeCount: Int {
    switch layout {
    case .i420: 3
    case .nv12: 2
    case .argb, .bgra, .rgb: 1
    }
  }

  /// The fewest bytes of a row of a plane.
  private func rowLength(_ plane: Int) -> Int {
    switch layout {
    case .argb, .bgra: width * 4
    case .rgb: width * 3
    case .i420: plane == 0 ? width : (width + 1) / 2
    case .nv12: plane == 0 ? width : (width + 1) / 2 * 2
    }
  }

  /// Whether its size is acceptable, and nothing of it is missing.
  private var isComplete: Bool {
    VideoFrame.isAcceptable(width: width, height: height) && planes.count >= planeCount
      && (0..<planeCount).allSatisfy {
        planes[$0].stride >= rowLength($0) && planes[$0].stride <= VideoFrame.maximumDimension * 8
      }
  }

  private func stride(_ plane: Int) -> Int32 { Int32(planes[plane].stride) }

  /// A copy; nil when its size is not acceptable, or a plane is missing.
  package func frame(at time: Instant) -> VideoFrame? {
    guard isComplete else { return nil }
    return VideoFrame(width: width, height: height, time: time) { y, u, v in
      let chroma = VideoFrame.stride(forWidth: (width + 1) / 2)
      guard isFullRange, planeCount > 1 else { return convert(y, u, v, chroma: Int32(chroma)) }
      narrow(0, by: Self.brightnesses, to: y, VideoFrame.stride(forWidth: width))
      guard layout == .nv12 else {
        narrow(1, by: Self.colours, to: u, chroma)
        return narrow(2, by: Self.colours, to: v, chroma)
      }
      narrow(1, step: 2, by: Self.colours, to: u, chroma)
      narrow(1, from: 1, step: 2, by: Self.colours, to: v, chroma)
    }
  }

  private func convert(
    _ yTo: UnsafeMutableBufferPointer<UInt8>, _ uTo: UnsafeMutableBufferPointer<UInt8>,
    _ vTo: UnsafeMutableBufferPointer<UInt8>, chroma: Int32
  ) {
    let (w, h, first) = (Int32(width), Int32(height), planes[0].pointer)
    let (y, u, v) = (yTo.baseAddress, uTo.baseAddress, vTo.baseAddress)
    let luma = Int32(VideoFrame.stride(forWidth: width))
    switch layout {
    // The library names its formats by the 32-bit word on a little-endian machine: its "BGRA" begins with alpha.
    case .argb: _ = BGRAToI420(first, stride(0), y, luma, u, chroma, v, chroma, w, h)
    case .bgra: _ = ARGBToI420(first, stride(0), y, luma, u, chroma, v, chroma, w, h)
    case .rgb: _ = RAWToI420(first, stride(0), y, luma, u, chroma, v, chroma, w, h)
    case .nv12: _ = NV12ToI420(first, stride(0), planes[1].pointer, stride(1), y, luma, u, chroma, v, chroma, w, h)
    case .i420:
      _ = I420Copy(
        first, stride(0), planes[1].pointer, stride(1), planes[2].pointer, stride(2), y, luma, u, chroma, v, chroma, w,
        h)
    }
  }

  /// Writes a frame of the same size into the planes; false, and nothing written, when a plane is missing.
  package func fill(with frame: VideoFrame) -> Bool {
    guard isComplete, frame.width == width, frame.height == height else { return false }
    let (w, h, to) = (Int32(width), Int32(height), planes[0].pointer)
    let (luma, chroma) = (Int32(frame.yStride), Int32(frame.uvStride))
    frame.withPlanes { y, u, v in
      let (y, u, v) = (y.baseAddress, u.baseAddress, v.baseAddress)
      switch layout {
      case .argb: _ = I420ToBGRA(y, luma, u, chroma, v, chroma, to, stride(0), w, h)
      case .bgra: _ = I420ToARGB(y, luma, u, chroma, v, chroma, to, stride(0), w, h)
      case .rgb: _ = I420ToRAW(y, luma, u, chroma, v, chroma, to, stride(0), w, h)
      case .nv12: _ = I420ToNV12(y, luma, u, chroma, v, chroma, to, stride(0), planes[1].pointer, stride(1), w, h)
      case .i420:
        _ = I420Copy(
          y, luma, u, chroma, v, chroma, to, stride(0), planes[1].pointer, stride(1), planes[2].pointer, stride(2), w, h
        )
      }
    }
    return true
  }

  // MARK: Planes of all values

  /// Takes every `step`th byte of a plane's rows to those of video.
  private func narrow(
    _ plane: Int, from start: Int = 0, step: Int = 1, by table: [UInt8], to target: UnsafeMutableBufferPointer<UInt8>,
    _ targetStride: Int
  ) {
    let (rows, count) = plane == 0 ? (height, width) : ((height + 1) / 2, (width + 1) / 2)
    for row in 0..<rows {
      let source = planes[plane].pointer + row * planes[plane].stride + start
      for index in 0..<count { target[row * targetStride + index] = table[Int(source[index * step])] }
    }
  }

  private static let brightnesses = narrowed(to: 219)
  private static let colours = narrowed(to: 224)

  /// Maps each of 256 values into `span` + 1 values from 16 on.
  private static func narrowed(to span: Int) -> [UInt8] {
    (0...255).map { (value: Int) in UInt8(16 + (value * span + 127) / 255) }
  }
}
