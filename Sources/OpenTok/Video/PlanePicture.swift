import Parley

/// A picture whose planes lie in memory of the app's, with gaps between rows, on the way to the meeting.
struct PlanePicture {
  /// How the bytes are laid out.
  enum Layout {
    case i420
    case nv12
    case argb
    case bgra
    case rgb
  }

  var layout: Layout
  var width: Int
  var height: Int
  /// Where each plane is, and the bytes from one of its rows to the next.
  var planes: [(pointer: UnsafeMutablePointer<UInt8>, stride: Int)]
  /// Whether brightness and colour take all 256 values, where video has 220 and 225 (ITU-R BT.601).
  var isFullRange = false

  /// The fewest bytes of a row of a plane.
  private func rowLength(_ plane: Int) -> Int {
    switch layout {
    case .argb, .bgra: width * 4
    case .rgb: width * 3
    case .i420: plane == 0 ? width : (width + 1) / 2
    case .nv12: plane == 0 ? width : (width + 1) / 2 * 2
    }
  }

  private var planeCount: Int {
    switch layout {
    case .i420: 3
    case .nv12: 2
    case .argb, .bgra, .rgb: 1
    }
  }

  private func rows(_ plane: Int) -> Int { plane == 0 ? height : (height + 1) / 2 }

  /// The picture, copied; nil when its size is not acceptable, or something of it is missing.
  func frame(at time: Instant) -> VideoFrame? {
    guard VideoFrame.isAcceptable(width: width, height: height), planes.count >= planeCount else { return nil }
    for plane in 0..<planeCount {
      guard planes[plane].stride >= rowLength(plane), planes[plane].stride <= VideoFrame.maximumDimension * 8 else {
        return nil
      }
    }
    var bytes = packed()
    if isFullRange { Self.narrow(&bytes, brightness: height * packedLength(0)) }
    if layout == .argb {
      // Turned around byte by byte: alpha, red, green, blue to blue, green, red, alpha.
      for pixel in stride(from: 0, to: bytes.count - 3, by: 4) {
        bytes.swapAt(pixel, pixel + 3)
        bytes.swapAt(pixel + 1, pixel + 2)
      }
    }
    return try? VideoFrame(
      converting: bytes, format: format, width: width, height: height, stride: packedLength(0), time: time)
  }

  private var format: PixelFormat {
    switch layout {
    case .i420: .i420
    case .nv12: .nv12
    case .argb, .bgra: .bgra
    case .rgb: .rgb
    }
  }

  /// The bytes of a row once there are no gaps. In NV12 the planes have the same.
  private func packedLength(_ plane: Int) -> Int { layout == .nv12 ? rowLength(1) : rowLength(plane) }

  /// All planes without gaps, one after the other.
  private func packed() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity((0..<planeCount).map { rows($0) * packedLength($0) }.reduce(0, +))
    for plane in 0..<planeCount {
      let (source, used) = (planes[plane], rowLength(plane))
      for row in 0..<rows(plane) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: source.pointer + row * source.stride, count: used))
        bytes.append(contentsOf: repeatElement(0, count: packedLength(plane) - used))
      }
    }
    return bytes
  }

  /// Takes planes of all values to those of video: the first `brightness` bytes, and the colours after them.
  private static func narrow(_ bytes: inout [UInt8], brightness: Int) {
    let (brightnesses, colours) = (brightnesses, colours)
    for index in 0..<min(brightness, bytes.count) { bytes[index] = brightnesses[Int(bytes[index])] }
    for index in min(brightness, bytes.count)..<bytes.count { bytes[index] = colours[Int(bytes[index])] }
  }

  private static let brightnesses = narrowed(to: 219)
  private static let colours = narrowed(to: 224)

  /// What each of 256 values is among `span` + 1 from 16 on.
  private static func narrowed(to span: Int) -> [UInt8] {
    (0...255).map { (value: Int) in UInt8(16 + (value * span + 127) / 255) }
  }
}
