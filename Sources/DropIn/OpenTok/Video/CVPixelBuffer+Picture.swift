#if canImport(CoreVideo) && !os(Linux)
  import CoreVideo
#endif
import Media
import Parley
import ParleyViews

extension CVImageBuffer {
  /// A copy as a video frame; nil when its layout isn't one that
  /// ``OTVideoCaptureConsumer/consumeImageBuffer(_:orientation:timestamp:metadata:)`` takes.
  func picture(at time: Instant) -> VideoFrame? {
    let (layout, isFullRange): (PlanePicture.Layout, Bool)
    switch CVPixelBufferGetPixelFormatType(self) {
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: (layout, isFullRange) = (.nv12, false)
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: (layout, isFullRange) = (.nv12, true)
    case kCVPixelFormatType_420YpCbCr8Planar: (layout, isFullRange) = (.i420, false)
    case kCVPixelFormatType_420YpCbCr8PlanarFullRange: (layout, isFullRange) = (.i420, true)
    case kCVPixelFormatType_32ARGB: (layout, isFullRange) = (.argb, false)
    case kCVPixelFormatType_32BGRA: (layout, isFullRange) = (.bgra, false)
    case kCVPixelFormatType_24RGB: (layout, isFullRange) = (.rgb, false)
    default: return nil
    }
    CVPixelBufferLockBaseAddress(self, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(self, .readOnly) }
    var planes: [(pointer: UnsafeMutableRawPointer?, stride: Int)] = (0..<CVPixelBufferGetPlaneCount(self)).map {
      (pointer: CVPixelBufferGetBaseAddressOfPlane(self, $0), stride: CVPixelBufferGetBytesPerRowOfPlane(self, $0))
    }
    if planes.isEmpty { planes = [(CVPixelBufferGetBaseAddress(self), CVPixelBufferGetBytesPerRow(self))] }
    let picture = PlanePicture(
      layout: layout, width: CVPixelBufferGetWidth(self), height: CVPixelBufferGetHeight(self),
      planes: planes.compactMap { plane in
        plane.pointer.map { (pointer: $0.assumingMemoryBound(to: UInt8.self), stride: plane.stride) }
      }, isFullRange: isFullRange)
    return picture.frame(at: time)
  }
}
