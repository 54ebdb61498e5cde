#if !canImport(UIKit) || os(Linux)
public import Foundation
import Parley

/// The app: its windows, and where keys go.
@MainActor
public final class UIApplication: UIResponder {
  /// How far in front the app is.
  public enum State: Int, Hashable, Sendable {
    /// In front.
    case active = 0
    /// Between.
    case inactive = 1
    /// Behind.
    case background = 2
  }

  /// Why the app was started; nothing is told here.
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The key's name.
    public let rawValue: String
    /// A key by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The app.
  public static let shared = UIApplication()

  /// Who is told of the app's beginning and end.
  public var delegate: (any UIApplicationDelegate)?
  /// The windows, the one behind first.
  public internal(set) var windows: [UIWindow] = []
  /// The window that keys go to.
  public internal(set) weak var keyWindow: UIWindow?
  /// Alerts and sheets on the screen, the last one in front.
  public internal(set) var alerts: [UIAlertController] = []
  /// How far in front the app is; always active here.
  public var applicationState: State { .active }
  /// Whether the screen stays on; kept for apps that set it.
  public var isIdleTimerDisabled = false
  /// Where keys go.
  var firstResponder: UIResponder?

  private override init() { super.init() }

  /// Whether windows come onto the desktop by themselves.
  private var showsWindows = false
  private var isEnding = false
  /// In seconds: an app that was told to end has ended by then.
  private static let longestEnd = 5.0

  /// Runs an app until its last window is closed: the main run loop and the main actor go on meanwhile. The last line of a `main.swift`:
  ///
  /// ```swift
  /// UIApplication.run(AppDelegate(), isHeadless: CommandLine.arguments.contains("--headless"))
  /// ```
  ///
  /// Without a display it says so on standard error and ends with status 1; headless it needs none. SIGTERM, Ctrl-C and a closed terminal (SIGHUP)
  /// end it as its last window does: the delegate hears ``UIApplicationDelegate/applicationWillTerminate(_:)``, and the status is 0.
  public static func run(_ delegate: any UIApplicationDelegate, isHeadless: Bool = false) -> Never {
    shared.delegate = delegate
    let signals = StopSignals.take()
    Task { for await _ in signals { shared.end() } }
    if !isHeadless {
      do {
        try GTKThread.start()
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
      }
      shared.showsWindows = true
    }
    guard delegate.application(shared, didFinishLaunchingWithOptions: nil) else { exit(1) }
    delegate.applicationDidBecomeActive(shared)
    while true { RunLoop.main.run() }
  }

  func present(_ window: UIWindow) {
    guard showsWindows else { return }
    do {
      try window.present()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
    }
  }

  func windowClosed() {
    if showsWindows, windows.isEmpty { end() }
  }

  private func end() {
    guard !isEnding else { return }
    isEnding = true
    delegate?.applicationWillTerminate(self)
    // A moment for what the delegate has begun, and as long as a goodbye takes on a machine that has much to do: the others would wait for who
    // merely vanishes.
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.8) {
      Task {
        await Goodbyes.said()
        exit(0)
      }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.longestEnd) { exit(0) }
  }

  /// Opens an address with the desktop's program for it.
  public func open(
    _ url: URL, options: [String: Any] = [:], completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["xdg-open", url.absoluteString]
    let isStarted = (try? process.run()) != nil
    if let completionHandler { Task { @MainActor in completionHandler(isStarted) } }
  }
}

/// Is told of the app's beginning and end.
@MainActor
public protocol UIApplicationDelegate: AnyObject {
  /// The app has begun. It makes its window here, and answers whether it can go on.
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  /// The app came to the front.
  func applicationDidBecomeActive(_ application: UIApplication)
  /// The app is about to end: its last window was closed, or somebody asks for its end, as with Ctrl-C. It ends a moment after this returns.
  func applicationWillTerminate(_ application: UIApplication)
}

extension UIApplicationDelegate {
  /// Goes on.
  public func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  /// Does nothing.
  public func applicationDidBecomeActive(_ application: UIApplication) {}
  /// Does nothing.
  public func applicationWillTerminate(_ application: UIApplication) {}
}
#endif
