#if !canImport(UIKit) || os(Linux)
import CGTK
public import Foundation
import Parley

/// The app: its windows, and where keys go.
@preconcurrency @MainActor
public final class UIApplication: UIResponder {
  /// How far in front the app is.
  public enum State: Int, Hashable, Sendable {
    case active = 0
    /// Between foreground and background.
    case inactive = 1
    case background = 2
  }

  /// The reason of the launch; never given here.
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    /// A key by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public static let shared = UIApplication()

  /// Notified of the app's launch and end.
  public var delegate: (any UIApplicationDelegate)?
  /// The windows, the one behind first.
  public internal(set) var windows: [UIWindow] = []
  /// The window that keys go to.
  public internal(set) weak var keyWindow: UIWindow?
  /// Alerts and sheets on the screen, the last one in front.
  public internal(set) var alerts: [UIAlertController] = []
  /// How far in front the app is: active while one of its windows has the focus, inactive while none has it, in the
  /// background while all are minimised or hidden. Without a window on the desktop, as headless, it is active.
  public private(set) var applicationState = State.active
  /// Whether the screen stays on; kept for apps that set it.
  public var isIdleTimerDisabled = false
  /// The receiver of keys.
  var firstResponder: UIResponder?
  /// The scene of an app that has a scene delegate.
  var scene: UIWindowScene?
  /// Whether the app is light or dark; unspecified is as the desktop has it.
  var userInterfaceStyle = UIUserInterfaceStyle.light
  /// Whether the desktop's theme is dark; false without a desktop.
  var desktopIsDark = false { didSet { if desktopIsDark != oldValue { refreshStyle() } } }

  private override init() { super.init() }

  /// Whether windows come onto the desktop by themselves.
  private var showsWindows = false
  private var isEnding = false
  /// Whether the delegate was notified of the beginning.
  private var isRunning = false
  /// In seconds: an app that was asked to end has ended by then.
  private nonisolated static let longestEnd = 5.0

  /// Runs an app until its last window is closed. The main run loop and the main actor go on during that time. It is
  /// the last line of a `main.swift`:
  ///
  /// ```swift
  /// UIApplication.run(AppDelegate(), isHeadless: CommandLine.arguments.contains("--headless"))
  /// ```
  ///
  /// Without a display it says so on standard error and ends with status 1; headless it needs none. SIGTERM, Ctrl-C and
  /// a closed terminal (SIGHUP) end it as its last window does: the delegate hears
  /// ``UIApplicationDelegate/applicationWillTerminate(_:)``, and the status is 0.
  ///
  /// - Parameters:
  ///   - delegate: Is notified of the beginning and the end.
  ///   - scene: Is notified of the scene, in an app that has a `SceneDelegate`: it makes the window.
  ///   - isHeadless: Whether it goes without a display.
  ///   - userInterfaceStyle: Whether the app is light or dark, as the key `UIUserInterfaceStyle` of an Info.plist says
  ///     on a phone. The default is light, since the colours of apps from before there was a dark mode are meant for
  ///     it. An app whose colours are the system's, or come in pairs, passes `.unspecified` and follows the desktop's
  ///     theme.
  public static func run(
    _ delegate: any UIApplicationDelegate, scene: (any UISceneDelegate)? = nil, isHeadless: Bool = false,
    userInterfaceStyle: UIUserInterfaceStyle = .light
  ) -> Never {
    shared.delegate = delegate
    shared.userInterfaceStyle = userInterfaceStyle
    let signals = StopSignals.intercept()
    Task.detached {
      for await _ in signals {
        // An app that never comes to an end of its work on the main queue ends, too.
        endAtLast()
        await shared.end()
      }
    }
    if !isHeadless {
      do {
        try GTKThread.start()
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        parley_quit(1)
      }
      shared.showsWindows = true
    }
    shared.refreshStyle()
    guard delegate.application(shared, didFinishLaunchingWithOptions: nil) else { parley_quit(1) }
    NotificationCenter.default.post(name: didFinishLaunchingNotification, object: shared)
    if let scene { shared.connectScene(scene) }
    shared.tell(didBecomeActiveNotification) { $0.applicationDidBecomeActive(shared) }
    shared.isRunning = true
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
    tell(Self.willTerminateNotification) { $0.applicationWillTerminate(self) }
    // A moment for what the delegate has begun, and as long as a goodbye takes on a machine that has much to do: the
    // others would wait for who merely vanishes.
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.8) {
      Task {
        await PendingLeaves.finished()
        parley_quit(0)
      }
    }
    Self.endAtLast()
  }

  /// Ends the process when the time for its end is over, whatever the main queue does.
  private nonisolated static func endAtLast() {
    DispatchQueue.global().asyncAfter(deadline: .now() + longestEnd) { parley_quit(0) }
  }

  /// A window has got the focus or lost it, was minimised, or is seen again.
  func refreshState() {
    let shown = windows.filter(\.isPresented)
    let state: State =
      if shown.isEmpty || shown.contains(where: { $0.hasFocus && !$0.isMinimized }) {
        .active
      } else {
        shown.allSatisfy(\.isMinimized) ? .background : .inactive
      }
    guard state != applicationState else { return }
    let old = applicationState
    if old == .active { tell(Self.willResignActiveNotification) { $0.applicationWillResignActive(self) } }
    if state == .background {
      applicationState = .background
      tell(Self.didEnterBackgroundNotification) { $0.applicationDidEnterBackground(self) }
    }
    if old == .background { tell(Self.willEnterForegroundNotification) { $0.applicationWillEnterForeground(self) } }
    applicationState = state
    if state == .active { tell(Self.didBecomeActiveNotification) { $0.applicationDidBecomeActive(self) } }
  }

  private func tell(_ name: Notification.Name, _ tellDelegate: (any UIApplicationDelegate) -> Void) {
    if let delegate { tellDelegate(delegate) }
    if isRunning { tellScene(name) }
    NotificationCenter.default.post(name: name, object: self)
  }

  /// Posted after the app came to the front.
  public nonisolated static let didBecomeActiveNotification = Notification.Name("UIApplicationDidBecomeActive")
  /// Posted before the app loses the focus.
  public nonisolated static let willResignActiveNotification = Notification.Name("UIApplicationWillResignActive")
  /// Posted after the last window was minimised or hidden.
  public nonisolated static let didEnterBackgroundNotification = Notification.Name("UIApplicationDidEnterBackground")
  /// Posted before the app ends, after its delegate was called.
  public nonisolated static let willTerminateNotification = Notification.Name("UIApplicationWillTerminate")
  /// Posted when the app has been launched, after its delegate was called.
  public nonisolated static let didFinishLaunchingNotification = Notification.Name("UIApplicationDidFinishLaunching")
  /// Never posted: nothing here says that memory is short.
  public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name(
    "UIApplicationDidReceiveMemoryWarning")
  /// Posted before a window is seen again.
  public nonisolated static let willEnterForegroundNotification = Notification.Name("UIApplicationWillEnterForeground")

  /// Opens an address with the desktop's program for it.
  @preconcurrency
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

/// Notified of the app's launch and end.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: AnyObject {
  /// The app has begun. It makes its window here, and answers whether it can go on.
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  /// The app came to the front.
  func applicationDidBecomeActive(_ application: UIApplication)
  /// The app is about to end: its last window was closed, or somebody asks for its end, as with Ctrl-C. It ends a
  /// moment after this returns.
  func applicationWillTerminate(_ application: UIApplication)
  /// The app is about to lose the focus.
  func applicationWillResignActive(_ application: UIApplication)
  /// The last window was minimised or hidden.
  func applicationDidEnterBackground(_ application: UIApplication)
  /// A window is about to be seen again.
  func applicationWillEnterForeground(_ application: UIApplication)
  /// How the scene is to be set up, in an app that has one.
  func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration
  /// Scenes were closed permanently; never called here.
  func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}

extension UIApplicationDelegate {
  /// The app's key window, for code that knows the delegate by its protocol alone:
  /// `delegate?.window??.rootViewController`. An app's own property of the name goes before it.
  @_disfavoredOverload public var window: UIWindow?? { UIApplication.shared.keyWindow }
  /// Lets the launch continue.
  public func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  public func applicationDidBecomeActive(_ application: UIApplication) {}
  public func applicationWillResignActive(_ application: UIApplication) {}
  public func applicationDidEnterBackground(_ application: UIApplication) {}
  public func applicationWillEnterForeground(_ application: UIApplication) {}
  public func applicationWillTerminate(_ application: UIApplication) {}
  /// Returns the default configuration of a scene.
  public func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration { UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role) }
  /// Has no effect, unless the app implements it.
  public func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {}
}
#endif
