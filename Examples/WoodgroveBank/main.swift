import Foundation
import UIKit

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
MainActor.assumeIsolated {
  UIApplication.run(AppDelegate(options), isHeadless: options.isHeadless)
}
