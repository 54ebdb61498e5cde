public import Foundation
import Parley

/// How a frame is turned.
public enum OTVideoOrientation: Int32, Sendable {
  /// As it is.
  case up = 1
  /// Upside down.
  case down = 2
  /// Turned to the left.
  case left = 3
  /// Turned to the right.
  case right = 4
}

/// One picture, as custom capturers give it and custom renderers get it.
///
/// The planes of a frame that a capturer makes belong to the capturer, and must stay while it hands them over; those of a frame that a renderer
/// gets belong to the frame.
// unchecked: as with the SDK's own, one thread at a time has a frame: the capturer until it hands it over, the renderer while it is called.
open class OTVideoFrame: NSObject, @unchecked Sendable {
  /// A pointer a plane; nil when it has none.
  open var planes: NSPointerArray?
  /// When it was taken.
  open var timestamp = CMTime.zero
  /// How it is turned. Kept with the frame: pictures are sent as they lie in memory.
  open var orientation = OTVideoOrientation.up
  /// The layout; without one it cannot be sent.
  open var format: OTVideoFormat?
  /// Bytes of the app's own, 32 at most. They are kept with the frame, and not sent.
  open private(set) var metadata: Data?

  private var memory: [UnsafeMutableRawPointer] = []

  /// A frame without planes yet.
  public init(format: OTVideoFormat) {
    self.format = format
    super.init()
  }

  /// A frame without anything.
  public override init() { super.init() }

  deinit { for plane in memory { plane.deallocate() } }

  /// A picture as its own I420 frame, which may be drawn into.
  convenience init(_ picture: VideoFrame) {
    self.init(format: OTVideoFormat(i420WithWidth: UInt32(picture.width), height: UInt32(picture.height)))
    timestamp = CMTime(value: picture.time.nanoseconds, timescale: 1_000_000_000)
    let (width, height, half) = (picture.width, picture.height, picture.uvWidth)
    let pointers = picture.withPlanes { y, u, v in
      [
        Self.copy(y, picture.yStride, width, height), Self.copy(u, picture.uvStride, half, picture.uvHeight),
        Self.copy(v, picture.uvStride, half, picture.uvHeight),
      ]
    }
    memory = pointers
    setPlanes(pointers)
  }

  private static func copy(
    _ plane: UnsafeBufferPointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int
  ) -> UnsafeMutableRawPointer {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: max(width * height, 1), alignment: 16)
    guard let base = plane.baseAddress else { return copy }
    for row in 0..<height {
      (copy + row * width).copyMemory(from: base + row * stride, byteCount: width)
    }
    return copy
  }

  private func setPlanes(_ pointers: [UnsafeMutableRawPointer?]) {
    let planes = NSPointerArray()
    for pointer in pointers { planes.addPointer(pointer) }
    self.planes = planes
  }

  // MARK: Planes

  /// Takes the planes of the picture.
  open func setPlanesWithPointers(_ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, numPlanes: Int32) {
    guard let planes, numPlanes > 0 else { return clearPlanes() }
    setPlanes((0..<Int(min(numPlanes, 4))).map { planes[$0].map { UnsafeMutableRawPointer($0) } })
  }

  /// Forgets the planes.
  open func clearPlanes() { planes = nil }

  /// The bytes of a plane; nil when there is no such plane.
  open func getPlaneBinaryData(_ planeIndex: Int32) -> UnsafeMutablePointer<UInt8>? {
    guard let planes, planeIndex >= 0, Int(planeIndex) < planes.count else { return nil }
    return planes.pointer(at: Int(planeIndex))?.assumingMemoryBound(to: UInt8.self)
  }

  /// The bytes from one row to the next of a plane; 0 when there is no such plane.
  open func getPlaneStride(_ planeIndex: Int32) -> Int32 { Int32(clamping: format?.stride(Int(planeIndex)) ?? 0) }

  /// Keeps bytes with the frame. More than 32 give ``OTSessionErrorCode/nullOrInvalidParameter``.
  open func setMetadata(_ data: Data?, error: UnsafeMutablePointer<OTError?>?) {
    guard (data?.count ?? 0) <= 32 else {
      let code = Int(OTSessionErrorCode.nullOrInvalidParameter.rawValue)
      return OTError.put(
        OTError(
          OTVideoKitErrorDomain, code, "The metadata of a frame has at most 32 bytes; it had \(data?.count ?? 0)."),
        error)
    }
    metadata = data
  }

  // MARK: Sending

  /// The picture as it is sent; nil when the frame is not complete.
  func picture(at time: Instant) -> VideoFrame? {
    guard let format else { return nil }
    let (width, height) = (Int(format.imageWidth), Int(format.imageHeight))
    guard VideoFrame.isAcceptable(width: width, height: height) else { return nil }
    var sources: [(pointer: UnsafeMutablePointer<UInt8>, stride: Int)] = []
    for plane in 0..<format.planeCount {
      let stride = format.stride(plane)
      guard let pointer = getPlaneBinaryData(Int32(plane)), stride >= format.minimumStride(plane),
        stride <= VideoFrame.maximumDimension * 8
      else { return nil }
      sources.append((pointer, stride))
    }
    switch format.pixelFormat {
    case .I420:
      return VideoFrame(width: width, height: height, time: time) { y, u, v in
        let half = (width + 1) / 2
        let strides = (y.count / height, u.count / ((height + 1) / 2))
        Self.copyRows(sources[0], y, strides.0, width, height)
        Self.copyRows(sources[1], u, strides.1, half, (height + 1) / 2)
        Self.copyRows(sources[2], v, strides.1, half, (height + 1) / 2)
      }
    case .NV12: return Self.turned(Self.packed(sources, format), .nv12, width, height, time)
    case .ARGB:
      // Turned around byte by byte: alpha, red, green, blue to blue, green, red, alpha.
      var bytes = Self.packed(sources, format)
      for pixel in stride(from: 0, to: bytes.count - 3, by: 4) {
        bytes.swapAt(pixel, pixel + 3)
        bytes.swapAt(pixel + 1, pixel + 2)
      }
      return Self.turned(bytes, .bgra, width, height, time)
    }
  }

  private static func turned(
    _ bytes: [UInt8], _ layout: PixelFormat, _ width: Int, _ height: Int, _ time: Instant
  ) -> VideoFrame? {
    try? VideoFrame(
      converting: bytes, format: layout, width: width, height: height,
      stride: layout == .nv12 ? (width + 1) / 2 * 2 : width * 4, time: time)
  }

  /// All planes without gaps, one after the other.
  private static func packed(
    _ sources: [(pointer: UnsafeMutablePointer<UInt8>, stride: Int)], _ format: OTVideoFormat
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    let row = format.pixelFormat == .NV12 ? format.minimumStride(1) : format.minimumStride(0)
    for (plane, source) in sources.enumerated() {
      let used = format.minimumStride(plane)
      for index in 0..<format.rows(plane) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: source.pointer + index * source.stride, count: used))
        bytes.append(contentsOf: repeatElement(0, count: row - used))
      }
    }
    return bytes
  }

  private static func copyRows(
    _ source: (pointer: UnsafeMutablePointer<UInt8>, stride: Int), _ plane: UnsafeMutableBufferPointer<UInt8>,
    _ stride: Int, _ width: Int, _ rows: Int
  ) {
    guard let base = plane.baseAddress else { return }
    for row in 0..<rows {
      (base + row * stride).update(from: source.pointer + row * source.stride, count: width)
    }
  }
}
