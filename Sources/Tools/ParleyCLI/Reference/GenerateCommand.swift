import MeetingServer
import Options

/// `parley generate`: the parts of the documents that declarations give. `Scripts/generate-docs` puts them into place,
/// and tests compare them.
enum GenerateCommand {
  static let group = CommandGroup(
    name: "generate", summary: "print parts of the documents",
    members: [
      .init(name: "configuration", operands: "", help: "print the tables of options", table: []) { options in
        try options.requireNoOperands()
        CommandLineText.say(ServerConfiguration.reference)
      },
      .init(name: "paths", operands: "", help: "print the addresses of the public port", table: []) { options in
        try options.requireNoOperands()
        CommandLineText.say(PublicPaths.markdown)
      },
    ], isHidden: true)
}
