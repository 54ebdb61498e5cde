import BBMEnterprise
import Foundation
import UIKit

/// An example as a program: its options, and where its endpoint keeps its data.
@MainActor public enum ExampleApp {
  /// Runs the app that `make` makes; it never returns. Commands are those that it adds to every example's.
  public static func run(
    _ program: String, commands: [String] = [], _ make: (AppOptions) -> any UIApplicationDelegate
  ) {
    let options: AppOptions
    do {
      options = try AppOptions(Array(CommandLine.arguments.dropFirst()), program: program, commands: commands)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
    if options.wantsHelp {
      print(AppOptions.usage(program, commands))
      exit(0)
    }
    if let folder = options.folder { setenv("XDG_DATA_HOME", folder, 1) }
    // The only line that names anything but the SDK and views.
    if let server = options.server { ParleyServer.url = server }
    UIApplication.run(make(options), isHeadless: options.isHeadless)
  }
}
