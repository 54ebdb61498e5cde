// The window is had from the app's delegate, where something that isn't a screen shows an alert.
import OpenTok

enum TopScreens {
  static var root: UIViewController? { UIApplication.shared.delegate?.window??.rootViewController }
  static func channels(_ session: AVAudioSession) -> [Int] {
    [session.preferredInputNumberOfChannels, session.preferredOutputNumberOfChannels]
  }
}

/// A delegate whose own window goes before the protocol's.
class WindowedDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    window = UIWindow(frame: UIScreen.main.bounds)
    window?.rootViewController = UIViewController()
    window?.makeKeyAndVisible()
    return window?.isKeyWindow == true
  }
}
