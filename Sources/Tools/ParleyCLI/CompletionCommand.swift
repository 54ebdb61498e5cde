import MeetingServer
import Options

/// `parley completion`: has a shell complete commands, options and values.
enum CompletionCommand {
  static let group = CommandGroup(
    name: "completion", summary: "print a script that has a shell complete commands and options",
    help: """
      Prints a script that has a shell complete commands, options and values.

      bash: source <(parley completion bash)
      zsh:  source <(parley completion zsh)
      fish: parley completion fish | source

      A line like these in the shell's start file (.bashrc, .zshrc, config.fish) is all that is needed.
      """,
    members: ShellCompletion.allCases.map { shell in
      CommandGroup.Member(
        name: shell.rawValue, operands: "", help: "print the script for \(shell.rawValue)", table: []
      ) { options in
        try options.requireNoOperands()
        CommandLineText.say(shell.script(for: Program.root))
      }
    })
}

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
