import FoundationEssentials
import Glibc
import Meetings
import Options

/// `parley audit`: which rights were used, by whom.
enum AuditCommand {
  static let group = CommandGroup(
    name: "audit", summary: "show which rights were used",
    help: "Shows which rights were used: on the command line, in the administration, in meetings.",
    members: [
      .init(
        name: "list", operands: "", help: "list the entries, the newest first",
        table: [
          .tenant("only those about this tenant", otherwise: "all"), .limit(), DataFolder.option, .json,
        ], run: list)
    ])

  private static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    let limit = options.count("limit")
    try await DataFolder.with(options) { folder in
      for entry in try await folder.auditLog(tenant: options["tenant"], limit: limit) {
        if options.has("json") {
          let line: JSONLine = [
            "id": .integer(entry.sequence), "time": .text(DataFolder.text(entry.time)), "actor": .text(entry.actor),
            "tenant": .text(entry.tenant), "action": .text(entry.action), "target": .text(entry.target),
            "detail": .text(entry.detail),
          ]
          line.print()
        } else {
          let words = [
            DataFolder.text(entry.time), entry.actor, entry.action, entry.tenant, entry.target, entry.detail,
          ]
          CommandLineText.say(
            words.filter { !$0.isEmpty }.map(CommandLineText.printable).joined(separator: "  ") + "\n")
        }
      }
    }
  }
}

extension DataFolder {
  /// The audit entry of a right used on the command line.
  func entry(_ action: String, _ target: String, tenant: String = "", _ detail: String = "") -> AuditEntry {
    AuditEntry(time: now, actor: Self.user, tenant: tenant, action: action, target: target, detail: detail)
  }

  /// The user of the machine who runs the command.
  static var user: String {
    let id = getuid()
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var bytes = [CChar](repeating: 0, count: 4_096)
    guard getpwuid_r(id, &entry, &bytes, bytes.count, &found) == 0, found != nil, let name = entry.pw_name else {
      return "cli user \(id)"
    }
    return "cli \(String(cString: name))"
  }
}
