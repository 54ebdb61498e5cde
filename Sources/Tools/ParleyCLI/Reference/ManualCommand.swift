import MeetingServer
import Options

/// `parley man`: the manual.
enum ManualCommand {
  static let declaration = Command(
    "man", "print the manual as a page for man",
    discussion: "parley man | man -l - shows it; saved as parley.1 in a folder man1 of the MANPATH, man parley does.")

  static var text: String {
    ManualPage.text(
      for: Program.root, version: "Parley \(ParleyVersion.current)",
      about: [
        "Parley is a self-hosted meeting platform: one program with a meeting service, a media server and a browser "
          + "client, and the tools to run and to try them.",
        "Options are written --name value or --name=value. Of an option that the configuration file of parley serve may "
          + "have, a flag wins over a variable, and a variable over the file.",
      ], seeAlso: "The documents of Parley: docs/operating.md, docs/protocol.md.")
  }

  static func run(_ arguments: [String]) async -> Int32 {
    await Program.run(declaration, "parley man", arguments) { options in
      try options.requireNoOperands()
      CommandLineText.say(text)
      return 0
    }
  }
}
