import FoundationEssentials
import Glibc
import Parley

/// The lasting identity of whoever runs `parley join`: in the file of `--identity`, or in the vault of `--vault`.
struct JoinIdentity {
  private static let passphraseVariable = "PARLEY_IDENTITY_PASSPHRASE"

  private let file: IdentityFile?
  private let vaults: LastingIdentity?

  /// Opens the file, or the vault, whose passcode is asked for.
  @MainActor init(
    _ options: CommandOptions, _ target: JoinTarget, _ signals: SignalWatch,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    if options.has("vault"), options["identity"] != nil {
      throw CommandOptions.Problem(description: "--identity and --vault each say which key to use; give one of them.")
    }
    file = try options["identity"].map { try Self.file(at: $0, environment) }
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
    guard let file else { return }
    options.knownIdentities = file.known
  }

  /// Writes down who was seen.
  func remember(_ known: KnownIdentities?, onProblem: (String) -> Void) {
    guard var file, let known, known != file.known else { return }
    file.known = known
    do throws(IdentityFile.Problem) { try file.save() } catch {
      onProblem("The people who were here are not remembered. \(error)")
    }
  }
}
