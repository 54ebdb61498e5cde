#if !canImport(UIKit) || os(Linux)

/// Something that an app has begun to do in the background. A desktop lets it go on.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The task's number; 0 stands for none.
  public let rawValue: Int
  /// A task by its number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// No task has this number: 0.
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

extension UIApplication {
  /// Something begins that goes on in the background. It may, without this call, too.
  public func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil)
    -> UIBackgroundTaskIdentifier
  { UIBackgroundTaskIdentifier(rawValue: 1) }

  /// It begins, by a name.
  public func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { UIBackgroundTaskIdentifier(rawValue: 1) }

  /// Has no effect: a desktop doesn't suspend apps.
  public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
#endif
