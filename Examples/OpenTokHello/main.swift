import Foundation

var settings: Settings
do {
  settings = try Settings(Array(CommandLine.arguments.dropFirst()))
  try settings.complete()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
let app = MainActor.assumeIsolated { App(settings) }
RunLoop.main.run()
