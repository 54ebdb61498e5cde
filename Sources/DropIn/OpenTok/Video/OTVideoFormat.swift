public import Foundation

/// How the bytes of a frame are laid out.
public enum OTPixelFormat: Int32, Sendable {
  /// Planes Y, U and V; U and V have half the width and height.
  case I420 = 0x4934_3230
  /// Four bytes a pixel, a 32-bit number of alpha, red, green and blue from its highest byte on. So blue is the first
  /// byte in memory, and alpha the last.
  case ARGB = 0x4152_4742
  /// Plane Y, then U and V interleaved.
  case NV12 = 0x4E56_3132
}

/// The size and layout of frames.
open class OTVideoFormat: NSObject {
  /// A name for people.
  open var name = ""
  open var pixelFormat: OTPixelFormat
  /// Bytes from one row to the next, a number a plane.
  open var bytesPerRow: NSMutableArray
  /// Pixels a row.
  open var imageWidth: UInt32
  open var imageHeight: UInt32
  /// About how many frames come a second. Kept: frames are sent as they come.
  open var estimatedFramesPerSecond: Double = 30
  /// About how old a frame is when it comes, in milliseconds, up to 1000.
  open var estimatedCaptureDelay: Double = 0

  /// An empty format, for ``OTVideoCapture/captureSettings(_:)`` to fill.
  public override init() {
    (pixelFormat, imageWidth, imageHeight, bytesPerRow) = (.I420, 0, 0, [])
    super.init()
  }

  private init(_ format: OTPixelFormat, _ width: UInt32, _ height: UInt32, _ strides: [UInt32]) {
    (pixelFormat, imageWidth, imageHeight) = (format, width, height)
    bytesPerRow = NSMutableArray(array: strides.map { NSNumber(value: $0) })
    super.init()
  }

  /// Planes Y, U and V without gaps.
  public convenience init(i420WithWidth width: UInt32, height: UInt32) {
    let half = width / 2 + width % 2
    self.init(.I420, width, height, [width, half, half])
  }

  /// Planes Y and UV without gaps.
  public convenience init(nv12WithWidth width: UInt32, height: UInt32) {
    self.init(.NV12, width, height, [width, (width / 2 + width % 2).multipliedReportingOverflow(by: 2).partialValue])
  }

  /// Four bytes a pixel without gaps.
  public convenience init(argbWithWidth width: UInt32, height: UInt32) {
    self.init(.ARGB, width, height, [width.multipliedReportingOverflow(by: 4).partialValue])
  }

  /// The bytes from one row to the next of a plane; 0 when there is no such plane.
  func stride(_ plane: Int) -> Int {
    guard plane >= 0, plane < bytesPerRow.count, let number = bytesPerRow[plane] as? NSNumber else { return 0 }
    return number.intValue
  }
}
