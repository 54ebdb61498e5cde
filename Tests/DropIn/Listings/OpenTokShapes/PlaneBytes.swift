// The bytes of a plane are never nil.
import OpenTok

protocol Planes: AnyObject {
  func getPlaneBinaryData(_ plane: Int32) -> UnsafeMutablePointer<UInt8>
  func getPlaneStride(_ plane: Int32) -> Int32
}

extension OTVideoFrame: Planes {}

class Darkener: NSObject, OTCustomVideoTransformer {
  func transform(_ frame: OTVideoFrame) {
    let luma: UnsafeMutablePointer<UInt8> = frame.getPlaneBinaryData(0)
    luma[0] = 16
  }
}
