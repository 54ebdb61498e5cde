import Foundation
import OpenTok
import ParleyViews

// The window of the app, and what its command line adds for tests: one JSON object a line for each thing that happens.

func log(_ event: String, _ fields: [String: String]) {
  let row = fields.merging(["event": event]) { old, _ in old }
  guard let data = try? JSONSerialization.data(withJSONObject: row, options: .sortedKeys) else { return }
  FileHandle.standardOutput.write(data + Data("\n".utf8))
}

setvbuf(stdout, nil, _IOLBF, 0)
var settings: Settings
do {
  settings = try Settings(Array(CommandLine.arguments.dropFirst()))
  try settings.complete()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
var tone: TestTone?
if settings.isHeadless {
  tone = TestTone { log("sound", [:]) }
  OTAudioDeviceManager.setAudioDevice(tone)
}
let controller = ViewController(settings, log: log)
let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
window.title = "OpenTok Hello"
window.rootViewController = controller
window.makeKeyAndVisible()
let path = settings.snapshot
let clock = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in
  MainActor.assumeIsolated {
    if let path, let image = controller.snapshot() { try? image.write(to: URL(fileURLWithPath: path), options: .atomic) }
  }
}
if let duration = settings.duration {
  Timer.scheduledTimer(withTimeInterval: duration, repeats: false) { _ in
    MainActor.assumeIsolated { controller.disconnect() }
    Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { _ in exit(0) }
  }
}
RunLoop.main.run()
