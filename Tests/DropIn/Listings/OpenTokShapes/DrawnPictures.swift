// Pictures that capturers and transformers draw.
import UIKit

enum Drawing {
  /// A picture of a view, at most as large as said.
  @MainActor static func shrunk(_ view: UIView, to size: CGSize) -> UIImage? {
    UIGraphicsBeginImageContextWithOptions(view.bounds.size, false, 0.0)
    view.drawHierarchy(in: view.bounds, afterScreenUpdates: false)
    let picture = UIGraphicsGetImageFromCurrentImageContext()
    UIGraphicsEndImageContext()
    UIGraphicsBeginImageContextWithOptions(size, false, 1.0)
    defer { UIGraphicsEndImageContext() }
    picture?.draw(in: CGRect(origin: CGPoint(), size: size))
    return UIGraphicsGetImageFromCurrentImageContext()
  }
  /// Stamps a picture into shades of grey.
  static func stamp(
    _ image: CGImage, into plane: UnsafeMutablePointer<UInt8>, width: Int, height: Int, in rect: CGRect
  ) {
    let context = CGContext(
      data: plane, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width,
      space: CGColorSpaceCreateDeviceGray(), bitmapInfo: CGImageAlphaInfo.none.rawValue)
    context?.draw(image, in: rect)
  }
}
