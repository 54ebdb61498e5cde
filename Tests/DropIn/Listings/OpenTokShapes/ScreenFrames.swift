// A picture that Core Graphics has drawn, as a frame of 32-bit numbers.
import OpenTok

enum ScreenFrames {
  static func send(_ image: CGImage, to consumer: OTVideoCaptureConsumer) {
    let format = OTVideoFormat(argbWithWidth: 0, height: 0)
    format.bytesPerRow.removeAllObjects()
    format.bytesPerRow.addObjects(from: [image.width * 4])
    (format.imageWidth, format.imageHeight) = (UInt32(image.width), UInt32(image.height))
    let options: [String: Bool] = [kCVPixelBufferCGImageCompatibilityKey as String: false]
    var buffer: CVPixelBuffer?
    let status = CVPixelBufferCreate(
      kCFAllocatorDefault, image.width, image.height, kCVPixelFormatType_32ARGB, options as CFDictionary, &buffer)
    guard status == kCVReturnSuccess, let buffer else { return }
    CVPixelBufferLockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: CVOptionFlags(0)))
    defer { CVPixelBufferUnlockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: CVOptionFlags(0))) }
    let context = CGContext(
      data: CVPixelBufferGetBaseAddress(buffer), width: image.width, height: image.height, bitsPerComponent: 8,
      bytesPerRow: CVPixelBufferGetBytesPerRow(buffer), space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    context?.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
    let frame = OTVideoFrame(format: format)
    frame.clearPlanes()
    frame.planes?.addPointer(CVPixelBufferGetBaseAddress(buffer))
    consumer.consumeFrame(frame)
  }
}
