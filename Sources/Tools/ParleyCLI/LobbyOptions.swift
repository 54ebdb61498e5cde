import Basics
import Meetings

/// The options of meetings and tenants that say who waits and what is announced.
extension CommandOptions {
  /// What meetings and tenants have in common.
  static let lobbyRules: [Option] = [
    .init("wait-for-host", "yes|no", "whether nobody but hosts gets in until a host is there"),
    .init("announce", "yes|no", "whether who comes and who goes is announced to the others"),
    .init("lobby-timeout", "TIME|none", "how long one may wait to be let in, like 10m (the server's --lobby-timeout)"),
  ]

  /// A switch with a value; nil when it is absent.
  func truth(_ name: String) throws(Problem) -> Bool? {
    switch self[name]?.lowercased() {
    case nil: return nil
    case "yes"?, "true"?, "on"?, "1"?: return true
    case "no"?, "false"?, "off"?, "0"?: return false
    case let text?: throw Problem(description: "--\(name) \(text): yes or no is expected.")
    }
  }

  /// The options of ``lobbyRules`` that were given, over `settings`.
  func lobby(over settings: LobbySettings) throws(Problem) -> LobbySettings {
    var patience = settings.patience
    if self["lobby-timeout"] == "none" {
      patience = nil
    } else if let seconds = try seconds("lobby-timeout") {
      guard (1...86_400).contains(seconds) else {
        throw Problem(description: "--lobby-timeout: a time from 1s to 24h is expected, or none.")
      }
      patience = .seconds(Int64(seconds))
    }
    return LobbySettings(
      waitsForHost: try truth("wait-for-host") ?? settings.waitsForHost,
      announces: try truth("announce") ?? settings.announces, patience: patience)
  }

  /// The hash of a passcode, which `-` reads from standard input, where other users of the machine do not see it; `.some(nil)` for `none`, which is no
  /// passcode wherever it is written.
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
