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
