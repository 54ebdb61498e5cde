import BBMEnterprise
import Foundation
import UIKit

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
if options.wantsHelp {
  print(Options.usage)
  exit(0)
}
if let folder = options.folder { setenv("XDG_DATA_HOME", folder, 1) }
MainActor.assumeIsolated {
  // The only line that names anything but the SDK and views.
  if let server = options.server { ParleyServer.url = server }
  UIApplication.run(AppDelegate(options), isHeadless: options.isHeadless)
}
