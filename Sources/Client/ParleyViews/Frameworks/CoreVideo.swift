#if !canImport(CoreVideo) || os(Linux)
import Foundation

// Core Video's picture in memory with the calls that capturers make, which Linux lacks.

// unchecked: as with the system's own, one thread at a time writes into it, while it is locked.
/// A frame in memory, made by ``CVPixelBufferCreate(_:_:_:_:_:_:)``.
public final class CVBuffer: @unchecked Sendable {
  fileprivate struct Plane {
    var pointer: UnsafeMutableRawPointer
    var width: Int
    var height: Int
    var stride: Int
  }

  fileprivate let format: OSType
  fileprivate let planes: [Plane]

  fileprivate init?(_ width: Int, _ height: Int, _ format: OSType) {
    let half = ((width + 1) / 2, (height + 1) / 2)
    let sizes: [(width: Int, height: Int, bytes: Int)]
    switch format {
    case kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB: sizes = [(width, height, 4)]
    case kCVPixelFormatType_24RGB: sizes = [(width, height, 3)]
    case kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange:
      sizes = [(width, height, 1), (half.0, half.1, 1), (half.0, half.1, 1)]
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange:
      sizes = [(width, height, 1), (half.0, half.1, 2)]
    default: return nil
    }
    self.format = format
    planes = sizes.map { size in
      // Rows begin at multiples of 64 bytes, as they do on Apple systems.
      let stride = (size.width * size.bytes + 63) / 64 * 64
      let memory = UnsafeMutableRawPointer.allocate(byteCount: stride * size.height, alignment: 64)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: stride * size.height)
      return Plane(pointer: memory, width: size.width, height: size.height, stride: stride)
    }
  }

  deinit { for plane in planes { plane.pointer.deallocate() } }
}

/// The allocator that apps name; none has an effect.
public var kCFAllocatorDefault: AnyObject? { nil }

/// A frame in memory; the general name.
public typealias CVImageBuffer = CVBuffer
/// A frame whose pixels can be reached.
public typealias CVPixelBuffer = CVImageBuffer
/// The result of a call; ``kCVReturnSuccess`` on success.
public typealias CVReturn = Int32
/// Four letters, or a number, for a layout of pixels.
public typealias OSType = UInt32

public let kCVReturnSuccess: CVReturn = 0
/// The layout is none of those below.
public let kCVReturnInvalidPixelFormat: CVReturn = -6_680
/// A side is less than 1 or more than 16,384 pixels.
public let kCVReturnInvalidSize: CVReturn = -6_681

/// Three bytes a pixel: red, green, blue.
public let kCVPixelFormatType_24RGB: OSType = 24
/// Four bytes a pixel: alpha, red, green, blue.
public let kCVPixelFormatType_32ARGB: OSType = 32
/// Four bytes a pixel: blue, green, red, alpha.
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241
/// Planes Y, U and V, Y from 16 to 235.
public let kCVPixelFormatType_420YpCbCr8Planar: OSType = 0x7934_3230
/// Planes Y, U and V, Y from 0 to 255.
public let kCVPixelFormatType_420YpCbCr8PlanarFullRange: OSType = 0x6634_3230
/// Plane Y, then U and V interleaved, Y from 16 to 235: NV12.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3076
/// Plane Y, then U and V interleaved, Y from 0 to 255.
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x3432_3066

/// Bits that a call takes.
public typealias CVOptionFlags = UInt64

/// Attributes as `CVPixelBufferCreate` takes them; none has an effect.
public typealias CFDictionary = [AnyHashable: Any]
/// The layout of pixels that is wanted.
public let kCVPixelBufferPixelFormatTypeKey = "PixelFormatType"
/// Whether the frame can be drawn as a `CGImage`.
public let kCVPixelBufferCGImageCompatibilityKey = "CGImageCompatibility"
/// Whether a `CGContext` can draw into the frame.
public let kCVPixelBufferCGBitmapContextCompatibilityKey = "CGBitmapContextCompatibility"
/// How the frame is shared with other processes.
public let kCVPixelBufferIOSurfacePropertiesKey = "IOSurfaceProperties"
/// Pixels a row.
public let kCVPixelBufferWidthKey = "Width"
/// Height in pixels.
public let kCVPixelBufferHeightKey = "Height"

/// The purpose of a lock.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: CVOptionFlags
  /// Flags of bits.
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
  /// Its pixels are read and not written.
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// Makes a frame, black or green. The allocator and the attributes are without effect.
@discardableResult public func CVPixelBufferCreate(
  _ allocator: Any?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ pixelBufferAttributes: Any?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  guard (1...16_384).contains(width), (1...16_384).contains(height) else { return kCVReturnInvalidSize }
  guard let buffer = CVBuffer(width, height, pixelFormatType) else { return kCVReturnInvalidPixelFormat }
  pixelBufferOut.pointee = buffer
  return kCVReturnSuccess
}

/// To be called before the pixels are reached. There is nothing to wait for here.
@discardableResult public func CVPixelBufferLockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn { kCVReturnSuccess }

/// To be called afterwards.
@discardableResult public func CVPixelBufferUnlockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn { kCVReturnSuccess }

/// How the pixels are laid out.
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { pixelBuffer.format }

/// Pixels a row.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.planes[0].width }

public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.planes[0].height }

/// Whether it has planes.
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { pixelBuffer.planes.count > 1 }

/// How many planes it has; 0 when all of a pixel lies together.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
  CVPixelBufferIsPlanar(pixelBuffer) ? pixelBuffer.planes.count : 0
}

/// The address of the pixels, or of those of the first plane.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  pixelBuffer.planes[0].pointer
}

/// Bytes from one row to the next, or to that of the first plane.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.planes[0].stride }

/// The address of a plane; nil when there is no such plane.
public func CVPixelBufferGetBaseAddressOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? { plane(pixelBuffer, planeIndex)?.pointer }

/// Bytes from one row to the next of a plane; 0 when there is no such plane.
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  plane(pixelBuffer, planeIndex)?.stride ?? 0
}

/// Pixels a row of a plane; 0 when there is no such plane.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  plane(pixelBuffer, planeIndex)?.width ?? 0
}

/// Rows of a plane; 0 when there is no such plane.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  plane(pixelBuffer, planeIndex)?.height ?? 0
}

private func plane(_ pixelBuffer: CVPixelBuffer, _ index: Int) -> CVBuffer.Plane? {
  pixelBuffer.planes.indices.contains(index) ? pixelBuffer.planes[index] : nil
}
#endif
