#if !canImport(UIKit) || os(Linux)
import Dispatch

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

  /// Whether the user lets the app capture: always, since a desktop asks nobody.
  public static func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus { .authorized }
  /// Asks the user, who lets the app capture. The answer comes on a queue of its own, as on Apple systems.
  public static func requestAccess(
    for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
  ) {
    DispatchQueue.global().async { handler(true) }
  }
  /// Asks the user, who lets the app capture.
  public static func requestAccess(for mediaType: AVMediaType) async -> Bool { true }
}

/// A kind of captured media.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  /// The code of four letters, as Apple's systems have it.
  public let rawValue: String
  /// A kind by its code.
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let audio = AVMediaType(rawValue: "soun")
  public static let video = AVMediaType(rawValue: "vide")
}

/// Whether an app may capture.
public enum AVAuthorizationStatus: Int, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The user cannot allow it.
  case restricted = 1
  /// The user does not allow it.
  case denied = 2
  case authorized = 3
}
#endif
