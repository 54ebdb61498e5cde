import FoundationEssentials
import Parley

/// The lasting identity of whoever runs `parley join`, in the file of `--identity`.
struct JoinIdentity {
  private static let passphraseVariable = "PARLEY_IDENTITY_PASSPHRASE"

  private let file: IdentityFile?

  init(
    _ options: CommandOptions, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CommandOptions.Problem) {
    guard let path = options["identity"] else {
      file = nil
      return
    }
    let passphrase = environment[Self.passphraseVariable].flatMap { $0.isEmpty ? nil : Secret($0) }
    do throws(IdentityFile.Problem) { file = try IdentityFile(openingOrMaking: path, passphrase: passphrase) } catch {
      let hint = error == .passphraseRequired ? " Put it into \(Self.passphraseVariable)." : ""
      throw CommandOptions.Problem(description: "--identity \(path): \(error)\(hint)")
    }
  }

  func apply(to options: inout JoinOptions) {
    guard let file else { return }
    options.identity = file.identity
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
