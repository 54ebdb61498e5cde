import Foundation
import ParleyViews

// An app that a test runs by itself, to see which libraries it loads and what it says.
//
// headless-views [--headless | --loops | --theme [--follows] | --headless --stay [--busy]]

/// Whether this process has a library in memory whose file's name begins so.
func loaded(_ name: String) -> Bool {
  // Read to its end: the file says that it is empty.
  let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
  return String(decoding: maps, as: UTF8.self).contains("/\(name)")
}

final class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    guard !CommandLine.arguments.contains("--loops") else {
      watchLoops()
      return true
    }
    guard !CommandLine.arguments.contains("--theme") else {
      tellTheme()
      return true
    }
    if CommandLine.arguments.contains("--stay") {
      NotificationCenter.default.addObserver(
        self, selector: AppDelegate.hearOfTheEnd, name: UIApplication.willTerminateNotification, object: nil)
      // The end of an app takes no library apart.
      atexit { _exit(9) }
      say("ready")
      if CommandLine.arguments.contains("--busy") { while true { pause() } }
      return true
    }
    let window = UIWindow(frame: UIScreen.main.bounds)
    let screen = UIViewController()
    let label = UILabel(frame: CGRect(x: 20, y: 20, width: 200, height: 40))
    label.text = "Two people are here"
    screen.view.addSubview(label)
    var presses = 0
    let button = UIButton(type: .system, primaryAction: UIAction(title: "Join") { _ in presses += 1 })
    button.frame = CGRect(x: 20, y: 80, width: 100, height: 44)
    screen.view.addSubview(button)
    window.rootViewController = screen
    window.makeKeyAndVisible()
    window.sendTouch(.began, at: CGPoint(x: 40, y: 100), time: 0)
    window.sendTouch(.ended, at: CGPoint(x: 40, y: 100), time: 0.1)
    let alert = UIAlertController(title: "Hello", message: nil, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default))
    screen.present(alert, animated: true)
    let picture = try? window.snapshot().pngData()
    print("presses \(presses), alerts \(application.alerts.count), picture \(picture?.isEmpty == false)")
    print("cairo \(loaded("libcairo")), gtk \(loaded("libgtk-4"))")
    do { try window.present() } catch { print("window: \(error)") }
    print("gtk \(loaded("libgtk-4")), presented \(window.isPresented)")
    exit(0)
  }

  func applicationWillTerminate(_ application: UIApplication) {
    say("about to end, \(application.applicationState == .active ? "active" : "behind")")
  }

  private func hearOfTheEnd() { say("told of the end") }
}

UIApplication.run(
  AppDelegate(), isHeadless: CommandLine.arguments.contains("--headless"),
  userInterfaceStyle: CommandLine.arguments.contains("--follows") ? .unspecified : .light)
