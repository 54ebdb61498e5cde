// The bytes of a plane are never nil.
import OpenTok

class Darkener: NSObject, OTCustomVideoTransformer {
  func transform(_ frame: OTVideoFrame) {
    let luma: UnsafeMutablePointer<UInt8> = frame.getPlaneBinaryData(0)
    luma[0] = 16
  }
}
