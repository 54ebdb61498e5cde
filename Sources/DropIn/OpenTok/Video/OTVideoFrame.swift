public import Foundation
import Media
import Parley
public import ParleyViews

/// How a frame is turned.
public enum OTVideoOrientation: Int32, Sendable {
  /// The frame as it lies in memory.
  case up = 1
  /// Turned by 180°.
  case down = 2
  /// Turned to the left: it is shown turned by 90° to the right.
  case left = 3
  /// Turned to the right: it is shown turned by 90° to the left.
  case right = 4
}

/// One video frame, as custom capturers give it and custom renderers get it.
///
/// The planes of a frame that a capturer makes belong to the capturer, and must stay during the call; those of a frame
/// that a renderer gets belong to the frame.
open class OTVideoFrame: NSObject {
  /// A pointer a plane. Empty in a frame that was made with a format or cleared, so that `planes?.addPointer(…)` fills
  /// it; nil in one made with neither.
  open var planes: NSPointerArray?
  /// When it was taken, on a clock of the capturer's choice: of those that it gives, the distances count.
  open var timestamp = CMTime.zero
  /// How it lies in memory. It is sent upright, and those that a renderer gets are.
  open var orientation = OTVideoOrientation.up
  /// The layout; without one it cannot be sent.
  open var format: OTVideoFormat?
  /// Bytes of the app's own, 32 at most. They are kept with the frame, and not sent.
  open private(set) var metadata: Data?

  /// The most bytes of metadata.
  static let maximumMetadata = 32

  private var memory: [UnsafeMutableRawPointer] = []
  /// The zeros that are read in place of a missing plane.
  private var blank: UnsafeMutablePointer<UInt8>?

  /// A frame without planes yet.
  public init(format: OTVideoFormat) {
    self.format = format
    planes = NSPointerArray()
    super.init()
  }

  /// A frame without anything.
  public override init() { super.init() }

  deinit {
    for plane in memory { plane.deallocate() }
    blank?.deallocate()
  }

  /// A frame as its own I420 frame, which may be drawn into.
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

  fileprivate func setPlanes(_ pointers: [UnsafeMutableRawPointer?]) {
    let planes = NSPointerArray()
    for pointer in pointers { planes.addPointer(pointer) }
    self.planes = planes
  }

  // MARK: Planes

  /// Sets the planes of the frame, of which none is nil.
  open func setPlanesWithPointers(_ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>, numPlanes: Int32) {
    guard numPlanes > 0 else { return clearPlanes() }
    setPlanes((0..<Int(min(numPlanes, 4))).map { UnsafeMutableRawPointer(planes[$0]) })
  }

  /// Forgets the planes; others may be added to ``planes``.
  open func clearPlanes() { planes = NSPointerArray() }

  /// The bytes of a plane. A missing plane reads as zeros in memory of the frame's own, as many as a plane of its
  /// format can have.
  open func getPlaneBinaryData(_ planeIndex: Int32) -> UnsafeMutablePointer<UInt8> { plane(planeIndex) ?? zeros }

  /// The bytes of a plane; nil when there is no such plane.
  func plane(_ index: Int32) -> UnsafeMutablePointer<UInt8>? {
    guard let planes, index >= 0, Int(index) < planes.count else { return nil }
    return planes.pointer(at: Int(index))?.assumingMemoryBound(to: UInt8.self)
  }

  private var zeros: UnsafeMutablePointer<UInt8> {
    if let blank { return blank }
    // Larger pictures are sent by nobody.
    let most = 16_384
    let (width, height) = (min(Int(format?.imageWidth ?? 0), most), min(Int(format?.imageHeight ?? 0), most))
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(width * height * 4, 16))
    memory.initialize(repeating: 0, count: max(width * height * 4, 16))
    blank = memory
    return memory
  }

  /// The bytes from one row to the next of a plane; 0 when there is no such plane.
  open func getPlaneStride(_ planeIndex: Int32) -> Int32 { Int32(clamping: format?.stride(Int(planeIndex)) ?? 0) }

  /// Keeps bytes with the frame. More than 32 give ``OTSessionErrorCode/nullOrInvalidParameter``.
  open func setMetadata(_ data: Data, error: UnsafeMutablePointer<OTError?>?) {
    guard data.count <= Self.maximumMetadata else {
      let code = Int(OTSessionErrorCode.nullOrInvalidParameter.rawValue)
      return OTError.put(
        OTError(
          OTVideoKitErrorDomain, code, "The metadata of a frame has at most 32 bytes; it had \(data.count)."),
        error)
    }
    metadata = data
  }

  /// Writes the frame into `planes` in another layout, or in the same one, as it lies in memory: as many pointers, and
  /// as many strides, as the layout has planes. They may be those of the frame itself. Nothing is written when the
  /// frame is not complete or a row does not fit its stride.
  open func convert(
    inPlace pixelFormat: OTPixelFormat, planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>,
    strides: UnsafeMutablePointer<Int32>
  ) {
    guard let format, let picture = asItLies(at: .zero) else { return }
    let target = PlanePicture(
      layout: pixelFormat.layout, width: Int(format.imageWidth), height: Int(format.imageHeight),
      planes: (0..<pixelFormat.planeCount).map { (pointer: planes[$0], stride: Int(strides[$0])) })
    _ = target.fill(with: picture)
  }

  // MARK: Sending

  /// The frame as it is sent, upright; nil when it is not complete.
  func picture(at time: Instant) -> VideoFrame? { asItLies(at: time)?.rotated(orientation.rotation) }

  private func asItLies(at time: Instant) -> VideoFrame? {
    guard let format else { return nil }
    let planes = (0..<Int32(format.bytesPerRow.count)).map { (plane($0), format.stride(Int($0))) }
    let complete = planes.prefix { $0.0 != nil }.compactMap { plane in plane.0.map { (pointer: $0, stride: plane.1) } }
    let picture = PlanePicture(
      layout: format.pixelFormat.layout, width: Int(format.imageWidth), height: Int(format.imageHeight),
      planes: complete)
    return picture.frame(at: time)
  }
}

extension OTPixelFormat {
  /// The same layout, as `PlanePicture` names it.
  fileprivate var layout: PlanePicture.Layout {
    switch self {
    case .I420: .i420
    case .NV12: .nv12
    case .ARGB: .bgra
    }
  }

  fileprivate var planeCount: Int {
    switch self {
    case .I420: 3
    case .NV12: 2
    case .ARGB: 1
    }
  }
}

extension OTVideoOrientation {
  /// The rotation that makes such a frame upright.
  var rotation: VideoFrame.Rotation {
    switch self {
    case .up: .none
    case .down: .half
    case .left: .quarter
    case .right: .threeQuarters
    }
  }
}

extension OTVideoFrame {
  /// Takes the planes of the frame, of which some may be nil.
  @_disfavoredOverload public func setPlanesWithPointers(
    _ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, numPlanes: Int32
  ) {
    guard let planes, numPlanes > 0 else { return clearPlanes() }
    setPlanes((0..<Int(min(numPlanes, 4))).map { planes[$0].map { UnsafeMutableRawPointer($0) } })
  }
}
