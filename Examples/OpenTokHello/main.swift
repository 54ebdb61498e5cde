import Foundation
import UIKit

var settings: Settings
do {
  settings = try Settings(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
if settings.wantsHelp {
  FileHandle.standardOutput.write(Data("\(Settings.usage)\n".utf8))
  exit(0)
}
if let path = settings.snapshot {
  // The first picture may be long in coming: what can never be written is said at once.
  let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
  if !FileManager.default.isWritableFile(atPath: folder) {
    Settings.fail(
      "--snapshot \(path) cannot be written: \(folder) is no folder that you may write to. Name a file in one.")
  }
}
MainActor.assumeIsolated { UIApplication.run(AppDelegate(settings), isHeadless: settings.isHeadless) }
