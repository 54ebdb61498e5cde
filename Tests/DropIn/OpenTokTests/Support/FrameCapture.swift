import Foundation
import OpenTok

/// A capturer of an app with frames in a layout of its choice, whose rows are longer than the picture: blue, or noise
/// that takes all bits that there are.
// unchecked: the SDK calls it from one queue, one call after the other; frames are made on `queue`.
final class FrameCapture: OTVideoCapture, @unchecked Sendable {
  var videoCaptureConsumer: (any OTVideoCaptureConsumer)?
  var videoContentHint = OTVideoContentHint.none
  private var timer: (any DispatchSourceTimer)?
  private let queue = DispatchQueue(label: "frames")
  private let pixelFormat: OTPixelFormat
  private let width: Int
  private let height: Int
  /// Bytes of no meaning; empty where the picture is blue.
  private let noise: [UInt8]

  init(_ pixelFormat: OTPixelFormat, width: Int = 160, height: Int = 120, isNoise: Bool = false) {
    (self.pixelFormat, self.width, self.height) = (pixelFormat, width, height)
    noise = isNoise ? (0..<2 * width * (height + 16)).map { _ in UInt8.random(in: 0...255) } : []
  }

  func initCapture() {}
  func releaseCapture() {}
  func isCaptureStarted() -> Bool { timer != nil }

  func start() -> Int32 {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now(), repeating: .milliseconds(66))
    timer.setEventHandler { [weak self] in self?.tick() }
    timer.resume()
    self.timer = timer
    return 0
  }

  func stop() -> Int32 {
    timer?.cancel()
    timer = nil
    return 0
  }

  func captureSettings(_ videoFormat: OTVideoFormat) -> Int32 {
    videoFormat.pixelFormat = pixelFormat
    (videoFormat.imageWidth, videoFormat.imageHeight) = (UInt32(width), UInt32(height))
    videoFormat.estimatedFramesPerSecond = 15
    videoFormat.estimatedCaptureDelay = 5
    return 0
  }

  /// The bytes that one plane repeats, its rows and the bytes of a row: blue is Y 41, U 240, V 110.
  private var planes: [(bytes: [UInt8], rows: Int, row: Int)] {
    switch pixelFormat {
    case .I420: [([41], height, width), ([240], height / 2, width / 2), ([110], height / 2, width / 2)]
    case .NV12: [([41], height, width), ([240, 110], height / 2, width)]
    case .ARGB: [([255, 0, 0, 255], height, width * 4)]
    }
  }

  private func tick() {
    let gap = 16
    let format: OTVideoFormat =
      switch pixelFormat {
      case .I420: OTVideoFormat(i420WithWidth: UInt32(width), height: UInt32(height))
      case .NV12: OTVideoFormat(nv12WithWidth: UInt32(width), height: UInt32(height))
      case .ARGB: OTVideoFormat(argbWithWidth: UInt32(width), height: UInt32(height))
      }
    let planes = planes
    format.bytesPerRow = NSMutableArray(array: planes.map { NSNumber(value: $0.row + gap) })
    let frame = OTVideoFrame(format: format)
    frame.timestamp = CMTime(value: Int64(DispatchTime.now().uptimeNanoseconds), timescale: 1_000_000_000)
    frame.orientation = .left
    let pointers = NSPointerArray()
    var memory: [UnsafeMutableRawPointer] = []
    for plane in planes {
      let count = plane.rows * (plane.row + gap)
      let pointer = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      if noise.isEmpty {
        // A row and its gap are a whole number of what repeats.
        for index in 0..<count {
          pointer.storeBytes(of: plane.bytes[index % plane.bytes.count], toByteOffset: index, as: UInt8.self)
        }
      } else {
        let start = Int.random(in: 0..<noise.count - count)
        noise.withUnsafeBytes { bytes in
          if let base = bytes.baseAddress { pointer.copyMemory(from: base + start, byteCount: count) }
        }
      }
      memory.append(pointer)
      pointers.addPointer(pointer)
    }
    frame.planes = pointers
    videoCaptureConsumer?.consumeFrame(frame)
    // The frame was read: the planes are the capturer's again.
    frame.clearPlanes()
    for pointer in memory { pointer.deallocate() }
  }
}
