import FoundationEssentials
import Glibc
import Parley

/// The lasting identity of whoever runs `parley join`: in the file of `--identity`, or in the vault of `--vault`.
struct JoinIdentity {
  private static let passphraseVariable = "PARLEY_IDENTITY_PASSPHRASE"

  private let file: IdentityFile?
  private let vaults: LastingIdentity?
  /// The people that whoever has the vault knows.
  private let people: KnownPeopleFile?
  private let known: KnownIdentities?

  /// Opens the file, or the vault, whose passcode is asked for.
  @MainActor init(
    _ options: CommandOptions, _ target: JoinTarget, _ signals: SignalWatch,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    if options.has("vault"), options["identity"] != nil {
      throw CommandOptions.Problem(description: "--identity and --vault each say which key to use; give one of them.")
    }
    file = try options["identity"].map { try Self.file(at: $0, environment) }
    people = options.has("vault") ? KnownPeopleFile(beside: VaultSeenFile(options)) : nil
    known = try file?.known ?? people?.read()
    vaults = options.has("vault") ? try await Self.vault(options, target, signals) : nil
  }

  private static func file(
    at path: String, _ environment: [String: String]
  ) throws(CommandOptions.Problem) -> IdentityFile {
    let passphrase = environment[passphraseVariable].flatMap { $0.isEmpty ? nil : Secret($0) }
    do throws(IdentityFile.Problem) { return try IdentityFile(openingOrMaking: path, passphrase: passphrase) } catch {
      let hint = error == .passphraseRequired ? " Put it into \(passphraseVariable)." : ""
      throw CommandOptions.Problem(description: "--identity \(path): \(error)\(hint)")
    }
  }

  @MainActor private static func vault(
    _ options: CommandOptions, _ target: JoinTarget, _ signals: SignalWatch
  ) async throws -> LastingIdentity {
    signals.onSignal { PasscodePrompt.abandon(SIGINT) }
    guard let (server, token) = try target.person else {
      throw CommandOptions.Problem(
        description: "--vault needs a join token that names you: --token, or #jwt= in the address.")
    }
    return try await VaultCommand.identity(server: server, token: token, options)
  }

  func apply(to options: inout JoinOptions) {
    options.identity = file?.identity ?? vaults
    options.knownIdentities = known
  }

  /// Writes down who was seen.
  func remember(_ known: KnownIdentities?, onProblem: (String) -> Void) {
    guard let known, known != self.known else { return }
    do {
      try people?.write(known)
      guard var file else { return }
      file.known = known
      try file.save()
    } catch { onProblem("The people who were here are not remembered. \(error)") }
  }
}
