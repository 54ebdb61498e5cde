#if !canImport(UIKit) || os(Linux)
public import Foundation

@preconcurrency @MainActor
public final class UIDevice {
  public static let current = UIDevice()

  private init() {}

  /// Its name, as its owner set it.
  public var name: String {
    let name = ProcessInfo.processInfo.hostName
    return name.isEmpty ? "Linux" : name
  }
  public var model: String { "Linux" }
  public var systemName: String { "Linux" }
  /// The version of what runs on it.
  public var systemVersion: String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
  }
}

/// The screen, as large as a new window is.
@preconcurrency @MainActor
public final class UIScreen {
  public static let main = UIScreen()

  private init() {}

  /// The rectangle a window takes that asks for the whole screen. An app may set another one before it makes its
  /// window.
  public var bounds = CGRect(x: 0, y: 0, width: 375, height: 667)
  /// How many pixels a point has.
  public var scale: CGFloat { 1 }
}
#endif
