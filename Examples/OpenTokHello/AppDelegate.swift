import Foundation
import OpenTok
import UIKit

/// The window of the app, and what its command line adds for tests: one JSON object a line for each thing that happens.
final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  private let settings: Settings
  private let controller: ViewController
  private var tone: TestTone?

  init(_ settings: Settings) {
    self.settings = settings
    controller = ViewController(settings, log: AppDelegate.log)
    super.init()
  }

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    if settings.isHeadless {
      tone = TestTone { AppDelegate.log("sound", ["pitch": "\($0)"]) }
      OTAudioDeviceManager.setAudioDevice(tone)
    }
    window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    window?.rootViewController = controller
    window?.makeKeyAndVisible()
    if let path = settings.snapshot { takeSnapshots(path) }
    if let duration = settings.duration { end(after: duration) }
    return true
  }

  func applicationWillTerminate(_ application: UIApplication) { controller.disconnect() }

  private func takeSnapshots(_ path: String) {
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
      if let image = self.controller.snapshot() {
        do {
          try image.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
          Settings.fail(
            "--snapshot \(path) cannot be written: \(error.localizedDescription) Name a file that you may write.")
        }
      }
      self.takeSnapshots(path)
    }
  }

  private func end(after seconds: Double) {
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
      self.controller.disconnect()
      DispatchQueue.main.asyncAfter(deadline: .now() + 2) { exit(0) }
    }
  }

  nonisolated static func log(_ event: String, _ fields: [String: String]) {
    let row = fields.merging(["event": event]) { old, _ in old }
    guard let data = try? JSONSerialization.data(withJSONObject: row, options: .sortedKeys) else { return }
    FileHandle.standardOutput.write(data + Data("\n".utf8))
  }
}
