/// A strip of black and white blocks at the lower edge of a test video: it says which source made the frame, and when.
/// It survives lossy coding and scaling to a quarter.
///
/// **Place**: the whole width and the lowest thirtieth of the height (at least 4 rows; ``stripHeight(forHeight:)``), 48
/// blocks of equal width in one row.
///
/// **Meaning**: from left to right, most significant bit first, white is 1:
///
/// | blocks | meaning |
/// |---|---|
/// | 8 | source id |
/// | 27 | milliseconds of the UTC day, see ``TestClock`` |
/// | 1 | whether the frame is a flash of the lip-sync signal |
/// | 12 | CRC-12 (polynomial 0x80F, start 0xFFF) of the 36 bits before |
///
/// A reader takes the mean luma of each block's middle, and the middle between the darkest and the brightest block as
/// the border.
///
/// ```swift
/// video.add(ClosureVideoSink { frame in
///   guard let marker = TestPictureMarker.read(from: frame) else { return }
///   print("\(TestClock.shared.milliseconds(at: MonotonicClock.now) - marker.milliseconds) ms from camera to screen")
/// })
/// ```
public struct TestPictureMarker: Hashable, Sendable {
  /// The source that made the frame.
  ///
  /// ```swift
  /// if let marker = TestPictureMarker.decode(frame) { print("from source \(marker.sourceID)") }
  /// ```
  public var sourceID: UInt8

  /// When, in milliseconds of the UTC day.
  ///
  /// ```swift
  /// let drawn = TestPictureMarker.decode(frame)?.milliseconds
  /// ```
  public var milliseconds: Int64

  /// Whether it is a flash of the lip-sync signal.
  ///
  /// ```swift
  /// if TestPictureMarker.decode(frame)?.isFlash == true { print("A beep should be heard now.") }
  /// ```
  public var isFlash: Bool

  /// Blocks in the strip.
  ///
  /// ```swift
  /// let blockWidth = frame.width / TestPictureMarker.blockCount
  /// ```
  public static let blockCount = 48

  /// A marker.
  ///
  /// ```swift
  /// let expected = TestPictureMarker(sourceID: 7, milliseconds: 0)
  /// ```
  public init(sourceID: UInt8, milliseconds: Int64, isFlash: Bool = false) {
    self.sourceID = sourceID
    self.milliseconds = milliseconds
    self.isFlash = isFlash
  }

  /// Rows of the strip in a frame of `height` rows.
  ///
  /// ```swift
  /// let strip = TestPictureMarker.stripHeight(forHeight: frame.height)
  /// let picture = frame.cropped(x: 0, y: 0, width: frame.width, height: frame.height - strip)
  /// ```
  public static func stripHeight(forHeight height: Int) -> Int { max(4, height / 30) }

  /// The 48 bits, the first block's in the highest place.
  var bits: UInt64 {
    let day = UInt64(max(0, milliseconds) % TestClock.dayLength)
    let data = UInt64(sourceID) << 28 | day << 1 | (isFlash ? 1 : 0)
    return data << 12 | UInt64(Self.checksum(data))
  }

  /// The marker in 48 bits; nil when the checksum is wrong.
  init?(bits: UInt64) {
    let data = bits >> 12
    guard UInt64(Self.checksum(data)) == bits & 0xFFF else { return nil }
    let day = Int64(data >> 1 & 0x7FF_FFFF)
    guard day < TestClock.dayLength else { return nil }
    sourceID = UInt8(truncatingIfNeeded: data >> 28)
    milliseconds = day
    isFlash = data & 1 == 1
  }

  private static func checksum(_ data: UInt64) -> UInt16 {
    var sum: UInt16 = 0xFFF
    for bit in (0..<36).reversed() {
      let feedback = UInt16(truncatingIfNeeded: data >> UInt64(bit) & 1) ^ (sum >> 11 & 1)
      sum = sum << 1 & 0xFFF
      if feedback == 1 { sum ^= 0x80F }
    }
    return sum
  }

  /// Reads the marker of a frame; nil when there is none or it is damaged beyond recognition. Costs some microseconds.
  ///
  /// ```swift
  /// if let (source, time) = TestPictureMarker.read(from: frame) { print("source \(source) at \(time) ms") }
  /// ```
  ///
  /// - Returns: The source's id and the milliseconds of the UTC day at which it drew the frame.
  public static func read(from frame: VideoFrame) -> (sourceID: UInt8, milliseconds: Int64)? {
    decode(frame).map { ($0.sourceID, $0.milliseconds) }
  }

  /// Reads the whole marker of a frame; nil when there is none or it is damaged.
  ///
  /// ```swift
  /// let isFlash = TestPictureMarker.decode(frame)?.isFlash ?? false
  /// ```
  public static func decode(_ frame: VideoFrame) -> TestPictureMarker? {
    decode(frame, x: 0, y: 0, width: frame.width, height: frame.height)
  }

  /// Reads the marker of a frame that is a part of another, as in a composed frame.
  ///
  /// ```swift
  /// let tile = composer.layout(count: 4).tiles[2]
  /// let third = TestPictureMarker.decode(frame, x: tile.x, y: tile.y, width: tile.width, height: tile.height)
  /// ```
  public static func decode(_ frame: VideoFrame, x: Int, y: Int, width: Int, height: Int) -> TestPictureMarker? {
    guard x >= 0, y >= 0, width >= blockCount, height >= 16, x + width <= frame.width, y + height <= frame.height
    else { return nil }
    let means = frame.withPlanes { plane, _, _ in
      // The strip scales with the picture, so its height here is a fraction, and the middle half of it is safe.
      let strip = Double(height) / 30
      let first = y + min(height - 1, max(0, Int(Double(height) - strip * 0.75)))
      let last = y + min(height - 1, max(0, Int(Double(height) - strip * 0.25)))
      return (0..<blockCount).map { block -> Int in
        let size = Double(width) / Double(blockCount)
        let left = x + Int((Double(block) + 0.3) * size)
        let right = x + max(Int((Double(block) + 0.3) * size), Int((Double(block) + 0.7) * size) - 1)
        var sum = 0
        for row in first...last {
          for column in left...right { sum += Int(plane[row * frame.yStride + column]) }
        }
        return sum / ((last - first + 1) * (right - left + 1))
      }
    }
    guard let darkest = means.min(), let brightest = means.max(), brightest - darkest > 60 else { return nil }
    let border = (darkest + brightest) / 2
    return TestPictureMarker(bits: means.reduce(0) { $0 << 1 | ($1 > border ? 1 : 0) })
  }

  func draw(on canvas: Canvas) {
    let height = Self.stripHeight(forHeight: canvas.height)
    let bits = bits
    let black = Colour(0x000000)
    let white = Colour(0xFFFFFF)
    canvas.fill(x: 0, y: canvas.height - height, width: canvas.width, height: height, black)
    for block in 0..<Self.blockCount where bits >> UInt64(Self.blockCount - 1 - block) & 1 == 1 {
      let left = block * canvas.width / Self.blockCount
      let right = (block + 1) * canvas.width / Self.blockCount
      canvas.fill(x: left, y: canvas.height - height, width: right - left, height: height, white)
    }
  }
}
