#if !canImport(UIKit) || os(Linux)
/// Which camera of a device is meant.
public enum AVCaptureDevice {
  /// Where it looks.
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
