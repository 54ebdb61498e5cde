import Foundation
import UIKit

var settings: Settings
do {
  settings = try Settings(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
MainActor.assumeIsolated { UIApplication.run(AppDelegate(settings), isHeadless: settings.isHeadless) }
