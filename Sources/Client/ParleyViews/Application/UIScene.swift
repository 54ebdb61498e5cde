#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A group of windows. An app has one scene here, with all its windows.
/// ``UIApplication/run(_:scene:isHeadless:userInterfaceStyle:)`` makes it.
open class UIScene: UIResponder {
  /// How far in front it is.
  public enum ActivationState: Int, Hashable, Sendable {
    /// It isn't connected yet.
    case unattached = -1
    case foregroundActive = 0
    /// Seen, without the focus.
    case foregroundInactive = 1
    case background = 2
  }

  /// The reasons why a scene was opened; always empty here.
  @preconcurrency @MainActor
  public final class ConnectionOptions {
    /// The addresses to open; always empty here.
    public let urlContexts: Set<UIOpenURLContext> = []
    /// Activities begun elsewhere; always empty here.
    public let userActivities: Set<String> = []

    init() {}
  }

  /// The part that lasts between two starts of the app.
  public let session: UISceneSession
  /// Is notified of the scene's beginning and end.
  public internal(set) var delegate: (any UISceneDelegate)?
  /// The name of its windows on the desktop where they have none.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var title: String! = ""
  private var isConnected = false

  /// A scene of a session.
  public init(session: UISceneSession, connectionOptions: ConnectionOptions) {
    self.session = session
    super.init()
  }

  /// How far in front it is.
  open var activationState: ActivationState {
    guard isConnected else { return .unattached }
    return switch UIApplication.shared.applicationState {
    case .active: .foregroundActive
    case .inactive: .foregroundInactive
    case .background: .background
    }
  }

  func connect(_ delegate: any UISceneDelegate) {
    (self.delegate, isConnected) = (delegate, true)
    delegate.scene(self, willConnectTo: session, options: ConnectionOptions())
    delegate.sceneWillEnterForeground(self)
    delegate.sceneDidBecomeActive(self)
  }
}

/// The scene with the app's windows.
open class UIWindowScene: UIScene {
  open var windows: [UIWindow] { UIApplication.shared.windows }
  /// The window that keys go to.
  open var keyWindow: UIWindow? { UIApplication.shared.keyWindow }
  open var screen: UIScreen { .main }
}

/// An address that an app was opened with; there are none here.
public struct UIOpenURLContext: Hashable, Sendable {
  /// The address that the app was asked to open.
  public let url: URL
}

/// A scene's role, and the app's own data for it.
@preconcurrency @MainActor
public final class UISceneSession: Hashable {
  /// The kind of a scene.
  public struct Role: RawRepresentable, Hashable, Sendable {
    /// The role's name, as in an app's Info.plist.
    public let rawValue: String
    /// A role by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Windows of an app.
    public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
  }

  /// The kind of this scene.
  public let role: Role
  /// An id for this run of the app only.
  public let persistentIdentifier = UUID().uuidString
  /// The app's own data for the scene.
  public var userInfo: [String: Any]?
  /// How it was set up.
  public internal(set) var configuration: UISceneConfiguration
  /// The scene of this session, while there is one.
  public internal(set) weak var scene: UIScene?

  /// They are the same when they are one object.
  public nonisolated static func == (one: UISceneSession, other: UISceneSession) -> Bool { one === other }
  /// By which object it is.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  init(role: Role) {
    self.role = role
    configuration = UISceneConfiguration(name: nil, sessionRole: role)
  }
}

/// The setup of a scene. An app's values are stored only: the scene's delegate is the one that ``UIApplication`` is run
/// with.
@preconcurrency @MainActor
public final class UISceneConfiguration {
  /// Its name in the app's Info.plist.
  public let name: String?
  /// The kind of scene that the setup is for.
  public let role: UISceneSession.Role
  /// The class of its delegate.
  public var delegateClass: AnyClass?
  /// The storyboard of the app's first screen; stored only.
  public var storyboard: UIStoryboard?

  /// A configuration by its name.
  public init(name: String?, sessionRole: UISceneSession.Role) { (self.name, role) = (name, sessionRole) }
}

/// Is notified of a scene's beginning and end.
@preconcurrency @MainActor
public protocol UISceneDelegate: AnyObject {
  /// It begins. The app makes its window here.
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
  func sceneDidDisconnect(_ scene: UIScene)
  /// It came to the front.
  func sceneDidBecomeActive(_ scene: UIScene)
  /// It is about to lose the focus.
  func sceneWillResignActive(_ scene: UIScene)
  /// It is about to be seen again.
  func sceneWillEnterForeground(_ scene: UIScene)
  /// Nothing of it is seen any more.
  func sceneDidEnterBackground(_ scene: UIScene)
}

/// As ``UISceneDelegate``, of a scene with windows.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
  var window: UIWindow? { get set }
}

extension UISceneDelegate {
  /// Has no effect, unless the app implements it.
  public func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
  ) {}
  /// Has no effect, unless the app implements it.
  public func sceneDidDisconnect(_ scene: UIScene) {}
  /// Has no effect, unless the app implements it.
  public func sceneDidBecomeActive(_ scene: UIScene) {}
  /// Has no effect, unless the app implements it.
  public func sceneWillResignActive(_ scene: UIScene) {}
  /// Has no effect, unless the app implements it.
  public func sceneWillEnterForeground(_ scene: UIScene) {}
  /// Has no effect, unless the app implements it.
  public func sceneDidEnterBackground(_ scene: UIScene) {}
}

extension UIWindow {
  /// A window of a scene, as large as the screen.
  public convenience init(windowScene: UIWindowScene) { self.init(frame: UIScreen.main.bounds) }

  /// The scene that it is in; nil in an app without scenes.
  public var windowScene: UIWindowScene? { UIApplication.shared.scene }
}

extension UIApplication {
  /// The scenes; one, or none in an app that has none.
  public var connectedScenes: Set<UIScene> { scene.map { [$0] } ?? [] }

  /// Notifies the scene's delegate of the same events as the app's.
  func tellScene(_ name: Notification.Name) {
    guard let scene, let delegate = scene.delegate else { return }
    switch name {
    case Self.willResignActiveNotification: delegate.sceneWillResignActive(scene)
    case Self.didEnterBackgroundNotification: delegate.sceneDidEnterBackground(scene)
    case Self.willEnterForegroundNotification: delegate.sceneWillEnterForeground(scene)
    case Self.didBecomeActiveNotification: delegate.sceneDidBecomeActive(scene)
    case Self.willTerminateNotification: delegate.sceneDidDisconnect(scene)
    default: break
    }
  }

  /// Makes the scene, which the app's delegate is asked about first.
  func connectScene(_ sceneDelegate: any UISceneDelegate) {
    let session = UISceneSession(role: .windowApplication)
    if let delegate {
      session.configuration = delegate.application(
        self, configurationForConnecting: session, options: UIScene.ConnectionOptions())
    }
    let scene = UIWindowScene(session: session, connectionOptions: UIScene.ConnectionOptions())
    session.scene = scene
    self.scene = scene
    scene.connect(sceneDelegate)
  }
}
#endif
