#if !canImport(UIKit) || os(Linux)
/// The camera of a device.
public enum AVCaptureDevice {
  /// The direction in which a camera looks.
  public enum Position: Int, Sendable {
    /// It does not matter.
    case unspecified = 0
    /// Away from who holds the device.
    case back = 1
    /// At who holds the device.
    case front = 2
  }
}
#endif
