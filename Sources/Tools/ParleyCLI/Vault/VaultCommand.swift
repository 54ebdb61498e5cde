import Options
import Parley

/// `parley vault`: a person's own key vault at a server.
enum VaultCommand {
  private static let common: [CommandOptions.Option] = [
    CommandOptions.Option("server", .text("URL"), "the server, such as https://meet.example"),
    CommandOptions.Option("token", .text("TOKEN"), "a join token that names you (parley token create --user)"),
    VaultSeenFile.option, CommandOptions.Option("insecure", "trust any certificate of the server"), .json,
  ]

  static let group = CommandGroup(
    name: "vault", summary: "keep your lasting key in a vault at a server",
    help: "Keeps a person's lasting key in a vault, for encrypted meetings. Passcodes are asked for, or read from "
      + "standard input, one a line; the server never gets them.",
    members: [
      .init(
        name: "status", operands: "", help: "show whether there is a vault, and whether it is locked", table: common,
        run: status),
      .init(
        name: "create", operands: "",
        help: "make a vault with a new key; asks for a passcode and prints the recovery key", table: common, run: create
      ),
      .init(
        name: "open", operands: "", help: "open the vault and print the code of your key",
        table: common + [
          CommandOptions.Option(
            "recovery", "with the recovery key instead of the passcode; asks for a new passcode too"),
          CommandOptions.Option(
            "accept-older", "take an older vault than this device has seen, after asking the server's operator"),
        ], run: open),
      .init(name: "change", operands: "", help: "give the vault another passcode", table: common, run: change),
      .init(
        name: "recovery", operands: "", help: "print a new recovery key; the one before opens nothing any more",
        table: common, run: recovery),
      .init(
        name: "forget", operands: "", help: "forget the vault on the server; its key is lost",
        table: common + [CommandOptions.Option("yes", "do not ask")], run: forget),
    ])

  // MARK: Commands

  private static func status(_ options: CommandOptions) async throws {
    try await with(options) { vault, _ in
      let line: JSONLine
      let text: String
      switch try await vault.status() {
      case .none: (line, text) = (["state": "none"], "There is no vault of yours.")
      case .ready(let left):
        line = ["state": "ready", "triesLeft": .integer(left)]
        text = "There is a vault of yours; \(left) passcodes may be wrong until it is locked."
      case .locked(let seconds):
        line = ["state": "locked", "seconds": .integer(seconds)]
        text = "\(VaultProblem.locked(seconds: seconds))"
      case .unreadable: (line, text) = (["state": "unreadable"], "\(VaultProblem.unreadable)")
      }
      say(line, text, options)
    }
  }

  private static func create(_ options: CommandOptions) async throws {
    try await with(options) { vault, known in
      if try await vault.status() != .none { throw VaultProblem.exists }
      let passcode = try await PasscodePrompt.askNew("A passcode for your vault, at least 10 characters:")
      let key: Secret<String>
      do throws(VaultProblem) {
        key = try await vault.create(passcode: passcode, knowing: known)
      } catch {
        guard case .unreachable(let reason) = error else { throw error }
        throw CommandGroup.Failure(
          description: "\(reason) If there is a vault afterwards, `parley vault recovery` prints a recovery key of it.")
      }
      say(
        ["created": true, "recoveryKey": .text(key.value)],
        """
        Your vault is made. This key opens it when you have forgotten the passcode; write it down, it is not shown again:

            \(key.value)
        """, options)
    }
  }

  private static func open(_ options: CommandOptions) async throws {
    try await with(options) { vault, known in
      let unlock: () async throws -> LastingIdentity
      if options.has("recovery") {
        let key = try await PasscodePrompt.ask("Your recovery key:")
        let passcode = try await PasscodePrompt.askNew("A new passcode, at least 10 characters:")
        unlock = { try await vault.recover(recoveryKey: key, passcode: passcode, knowing: known) }
      } else {
        let passcode = try await PasscodePrompt.ask("The passcode of your vault:")
        unlock = { try await vault.open(passcode: passcode) }
      }
      let identity: LastingIdentity
      do {
        identity = try await unlock()
      } catch VaultProblem.rolledBack where options.has("accept-older") {
        await vault.acceptOlderRecord()
        identity = try await unlock()
      }
      say(
        ["opened": true, "code": .text(identity.code)],
        "Your vault is open. The code of your key: \(identity.code)", options)
    }
  }

  private static func change(_ options: CommandOptions) async throws {
    try await with(options) { vault, known in
      let old = try await PasscodePrompt.ask("The passcode of your vault:")
      let new = try await PasscodePrompt.askNew("The new one, at least 10 characters:")
      try await vault.change(passcode: old, to: new, knowing: known)
      say(["changed": true], "Your vault has the new passcode.", options)
    }
  }

  private static func recovery(_ options: CommandOptions) async throws {
    try await with(options) { vault, _ in
      let key = try await vault.renewRecoveryKey(passcode: try await PasscodePrompt.ask("The passcode of your vault:"))
      say(
        ["recoveryKey": .text(key.value)],
        """
        Your vault has a new recovery key; write it down, it is not shown again. The one before opens nothing any more:

            \(key.value)
        """, options)
    }
  }

  private static func forget(_ options: CommandOptions) async throws {
    try await with(options) { vault, _ in
      if !options.has("yes") {
        let answer = try await PasscodePrompt.ask(
          "The key in your vault is lost then, and others see another identity of you. Type forget to go on:")
        guard answer.value == "forget" else { throw CommandGroup.Failure(description: "Nothing was changed.") }
      }
      try await vault.forget()
      say(["forgotten": true], "Your vault is forgotten.", options)
    }
  }

  // MARK: Steps

  /// Runs `body` with the vault of the token's person and the names in the token. Keeps the records that have opened,
  /// also after a later failure.
  private static func with(_ options: CommandOptions, _ body: (Vault, [String]) async throws -> Void) async throws {
    try options.requireNoOperands()
    guard let server = options["server"], let token = options["token"] else {
      throw CommandOptions.Problem(
        description: "--server and --token are needed: where your vault is, and who you are.")
    }
    let file = VaultSeenFile(options)
    let before = try file.read()
    let vault = try Vault(
      server: server, token: Secret(token), seen: before, trustsAnyCertificate: options.has("insecure"))
    do {
      try await body(vault, Vault.names(in: Secret(token)))
    } catch {
      try await keep(vault, before, file)
      throw error
    }
    try await keep(vault, before, file)
  }

  private static func keep(_ vault: Vault, _ before: Vault.Seen, _ file: VaultSeenFile) async throws {
    let seen = await vault.seen
    if seen != before { try file.write(seen) }
  }

  private static func say(_ line: JSONLine, _ text: String, _ options: CommandOptions) {
    if options.has("json") { line.print() } else { CommandLineText.say(text + "\n") }
  }

  /// The lasting key for `parley join --vault`.
  static func identity(
    server: String, token: Secret<String>, _ options: CommandOptions
  ) async throws -> LastingIdentity {
    let file = VaultSeenFile(options)
    let before = try file.read()
    let vault = try Vault(server: server, token: token, seen: before, trustsAnyCertificate: options.has("insecure"))
    let identity = try await vault.open(passcode: try await PasscodePrompt.ask("The passcode of your vault:"))
    try await keep(vault, before, file)
    return identity
  }
}
