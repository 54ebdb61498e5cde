public import Basics

// unchecked: the storage is written only by the closure of `init`, before anybody else can see it.

/// One video frame in I420 (planar YCbCr 4:2:0, 8 bits, limited range, BT.601 unless its maker says otherwise).
///
/// Immutable once made, so that any number of sinks on any threads may share it; copying one costs a reference count.
///
/// ```swift
/// let grey = VideoFrame(width: 640, height: 360, time: MonotonicClock.now) { y, u, v in
///   y.update(repeating: 128)
///   u.update(repeating: 128)
///   v.update(repeating: 128)
/// }
/// ```
public final class VideoFrame: @unchecked Sendable {
  /// The widest and highest frame that is accepted anywhere, 8,192: larger ones are refused before memory is taken.
  ///
  /// ```swift
  /// let width = min(text.count * 20, VideoFrame.maximumDimension)  // a ticker
  /// ```
  public static let maximumDimension = 8_192

  /// The most pixels of a frame that is decoded or converted, 4,096 × 2,304: larger ones are refused before memory is
  /// taken.
  ///
  /// ```swift
  /// let height = VideoFrame.maximumPixelCount / 4_096  // 2,304
  /// ```
  public static let maximumPixelCount = 4_096 * 2_304

  /// Whether a frame of this size is accepted from outside: both sides 1 to ``maximumDimension``, and no more than
  /// ``maximumPixelCount`` pixels.
  ///
  /// ```swift
  /// guard VideoFrame.isAcceptable(width: 3_840, height: 2_160) else { return }
  /// ```
  public static func isAcceptable(width: Int, height: Int) -> Bool {
    (1...maximumDimension).contains(width) && (1...maximumDimension).contains(height)
      && width * height <= maximumPixelCount
  }

  /// Pixels a row.
  ///
  /// ```swift
  /// let pixels = frame.width * frame.height
  /// ```
  public let width: Int

  /// Rows.
  ///
  /// ```swift
  /// let isUpright = frame.height > frame.width
  /// ```
  public let height: Int

  /// When it was taken (sources) or is to be shown (receivers), on ``MonotonicClock``.
  ///
  /// ```swift
  /// let age = MonotonicClock.now - frame.time
  /// ```
  public let time: Instant

  /// Bytes from one row to the next of the Y plane.
  ///
  /// ```swift
  /// let brightness = frame.withPlanes { y, _, _ in y[frame.height / 2 * frame.yStride + frame.width / 2] }
  /// ```
  public let yStride: Int

  /// Bytes from one row to the next of the U and of the V plane.
  ///
  /// ```swift
  /// let blueness = frame.withPlanes { _, u, _ in u[frame.uvHeight / 2 * frame.uvStride + frame.uvWidth / 2] }
  /// ```
  public let uvStride: Int

  private let storage: Storage

  private final class Storage {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    init(count: Int) { bytes = .allocate(capacity: count) }
    deinit { bytes.deallocate() }
  }

  /// Rows of the U and of the V plane; half of ``height``, rounded up.
  ///
  /// ```swift
  /// let rows = 0..<frame.uvHeight
  /// ```
  public var uvHeight: Int { (height + 1) / 2 }

  /// Pixels a row of the U and of the V plane; half of ``width``, rounded up.
  ///
  /// ```swift
  /// let columns = 0..<frame.uvWidth
  /// ```
  public var uvWidth: Int { (width + 1) / 2 }

  /// A frame whose planes `fill` writes. Each plane is contiguous; its rows are ``yStride`` and ``uvStride`` apart and
  /// at least as long as the frame is wide. Bytes that `fill` leaves out stay undefined: write everything.
  ///
  /// ```swift
  /// let black = VideoFrame(width: 640, height: 360, time: MonotonicClock.now) { y, u, v in
  ///   y.update(repeating: 16)
  ///   u.update(repeating: 128)
  ///   v.update(repeating: 128)
  /// }
  /// ```
  ///
  /// - Precondition: `width` and `height` are 1 to ``maximumDimension``. Check values from outside first.
  public init(
    width: Int, height: Int, time: Instant,
    fill: (
      _ y: UnsafeMutableBufferPointer<UInt8>, _ u: UnsafeMutableBufferPointer<UInt8>,
      _ v: UnsafeMutableBufferPointer<UInt8>
    )
      throws -> Void
  ) rethrows {
    precondition((1...Self.maximumDimension).contains(width) && (1...Self.maximumDimension).contains(height))
    self.width = width
    self.height = height
    self.time = time
    yStride = Self.stride(forWidth: width)
    uvStride = Self.stride(forWidth: (width + 1) / 2)
    let ySize = yStride * height
    let uvSize = uvStride * ((height + 1) / 2)
    storage = Storage(count: ySize + 2 * uvSize)
    try fill(
      UnsafeMutableBufferPointer(rebasing: storage.bytes[0..<ySize]),
      UnsafeMutableBufferPointer(rebasing: storage.bytes[ySize..<(ySize + uvSize)]),
      UnsafeMutableBufferPointer(rebasing: storage.bytes[(ySize + uvSize)..<(ySize + 2 * uvSize)]))
  }

  /// The same frame at another time. Shares the pixels.
  ///
  /// ```swift
  /// let later = frame.with(time: frame.time + .milliseconds(40))
  /// ```
  public func with(time: Instant) -> VideoFrame { VideoFrame(sharing: self, time: time) }

  private init(sharing other: VideoFrame, time: Instant) {
    width = other.width
    height = other.height
    yStride = other.yStride
    uvStride = other.uvStride
    storage = other.storage
    self.time = time
  }

  /// Lends the planes for the length of `body`. They are not valid afterwards.
  ///
  /// ```swift
  /// let brightest = frame.withPlanes { y, _, _ in y.max() ?? 0 }
  /// ```
  public func withPlanes<Result>(
    _ body: (_ y: UnsafeBufferPointer<UInt8>, _ u: UnsafeBufferPointer<UInt8>, _ v: UnsafeBufferPointer<UInt8>) throws
      -> Result
  ) rethrows -> Result {
    let ySize = yStride * height
    let uvSize = uvStride * uvHeight
    let bytes = UnsafeBufferPointer(storage.bytes)
    return try body(
      UnsafeBufferPointer(rebasing: bytes[0..<ySize]),
      UnsafeBufferPointer(rebasing: bytes[ySize..<(ySize + uvSize)]),
      UnsafeBufferPointer(rebasing: bytes[(ySize + uvSize)..<(ySize + 2 * uvSize)]))
  }
}
