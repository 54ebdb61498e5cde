import Basics
import Meetings

/// Warnings for the operator at the start: what is open to strangers, and how to close it.
enum StartupWarnings {
  /// The notices of a start. `isFirst` says that the data folder was made by it.
  static func notices(_ configuration: ServerConfiguration, isFirst: Bool) -> [String] {
    var notices: [String] = []
    if configuration.isDevelopment {
      notices.append(
        "DEVELOPMENT MODE: whoever says devtoken gets into every meeting of the default tenant, and whoever says "
          + "moderator_token into each of them as a host, past locks, lobbies and passcodes, without a signature. Leave "
          + "--development (PARLEY_DEVELOPMENT) out on a server that others reach.")
    }
    if isFirst, !configuration.host.isLoopback {
      let open =
        configuration.openRooms
        ? "open a meeting by its address, and join every meeting whose name it knows"
        : "make ad-hoc meetings, and join every meeting whose name it knows"
      notices.append(
        "THIS SERVER IS OPEN: it listens beyond this machine, and whoever reaches it can \(open), without signing in. "
          + "To let in only who has a token: parley tenant set \(Tenant.defaultName) --sign-in token --data "
          + "\(quoted(configuration.dataFolder)). To listen on this machine only: --host 127.0.0.1.")
    }
    return notices
  }

  /// A path as a shell takes it.
  private static func quoted(_ path: String) -> String {
    let plain = path.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 32) || "-_./".utf8.contains(byte)
    }
    return plain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
  }
}
