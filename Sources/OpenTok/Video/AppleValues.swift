#if !canImport(CoreMedia)
  public import Foundation

  // What the calls of this module are made of on Apple systems, and Linux lacks.

  /// A time as a fraction of seconds.
  public struct CMTime: Hashable, Sendable {
    /// The numerator.
    public var value: Int64
    /// The denominator.
    public var timescale: Int32
    /// A time.
    public init(value: Int64, timescale: Int32) {
      self.value = value
      self.timescale = timescale
    }
    /// No time.
    public static let zero = CMTime(value: 0, timescale: 1)
    /// In seconds; 0 when there is no timescale.
    public var seconds: Double { timescale == 0 ? 0 : Double(value) / Double(timescale) }
  }

  /// Pointers in a row.
  public final class NSPointerArray: NSObject {
    private var pointers: [UnsafeMutableRawPointer?] = []
    /// None yet.
    public override init() { super.init() }
    /// How many there are.
    public var count: Int { pointers.count }
    /// One of them; nil when there are not so many.
    public func pointer(at index: Int) -> UnsafeMutableRawPointer? {
      pointers.indices.contains(index) ? pointers[index] : nil
    }
    /// Adds one.
    public func addPointer(_ pointer: UnsafeMutableRawPointer?) { pointers.append(pointer) }
  }

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
