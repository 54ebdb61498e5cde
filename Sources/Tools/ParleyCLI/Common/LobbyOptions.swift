import Basics
import Meetings
import Options

/// The options of meetings and tenants that say who waits and what is announced.
extension CommandOptions {
  /// Options that meetings and tenants have in common.
  static let lobbyRules: [Option] = [
    Option("wait-for-host", .truth, "whether nobody but hosts gets in until a host is there"),
    Option("announce", .truth, "whether who comes and who goes is announced to the others"),
    Option(
      "lobby-timeout", .either(.time(), "none"), otherwise: "the server's --lobby-timeout",
      "how long one may wait to be let in, like 10m"),
  ]

  /// The options of ``lobbyRules`` that were given, over `settings`.
  func lobby(over settings: LobbySettings) throws(Problem) -> LobbySettings {
    var timeout = settings.timeout
    if self["lobby-timeout"] == "none" {
      timeout = nil
    } else if let seconds = seconds("lobby-timeout") {
      guard (1...86_400).contains(seconds) else {
        throw Problem(description: "--lobby-timeout: a time from 1s to 24h is expected, or none.")
      }
      timeout = .seconds(Int64(seconds))
    }
    return LobbySettings(
      waitsForHost: truth("wait-for-host") ?? settings.waitsForHost,
      announces: truth("announce") ?? settings.announces, timeout: timeout)
  }

  /// The hash of a passcode, which `-` reads from standard input, where other users of the machine don't see it;
  /// `.some(nil)` for `none`, the word for no passcode.
  func passcode() throws(Problem) -> PasscodeHash?? {
    guard var text = self["passcode"] else { return nil }
    if text == "none" { return .some(nil) }
    if text == "-" {
      guard let line = readLine() else { throw Problem(description: "Standard input has no passcode.") }
      text = line
    }
    do throws(PasscodeError) {
      return try PasscodeHash(Secret(text))
    } catch {
      throw Problem(description: "--passcode: \(error)")
    }
  }
}
