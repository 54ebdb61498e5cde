import Basics
import FoundationEssentials
import Meetings

extension TokenCommand {
  /// `parley token list`. The tokens themselves are kept nowhere.
  static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    let limit = options.count("limit")
    try await DataFolder.with(options) { folder in
      let names = try await folder.tenantNames()
      let only = if let name = options["tenant"] { try await folder.requireTenant(name) } else { Tenant?.none }
      for token in try await folder.tokens(of: only, room: options["room"], limit: limit) {
        show(token, tenant: names[token.tenant] ?? "", options, at: folder.now)
      }
    }
  }

  private static func show(_ token: TokenRecord, tenant: String, _ options: CommandOptions, at now: Date) {
    let state = token.state(at: now).rawValue
    if options.has("json") {
      let line: JSONLine = [
        "id": .text(token.id.rawValue), "tenant": .text(tenant), "form": .text(token.form.rawValue),
        "room": .text(token.room), "name": JSONValue(token.name), "user": JSONValue(token.user),
        "role": .text(token.role.rawValue), "state": .text(state), "expires": .text(DataFolder.text(token.expires)),
        "issued": JSONValue(token.issued.map(DataFolder.text)), "used": JSONValue(token.used.map(DataFolder.text)),
        "uses": .integer(token.uses),
      ]
      line.print()
    } else {
      let used = token.used.map { "used \(token.uses) times, last \(DataFolder.text($0))" } ?? "never used"
      CommandLineText.say(
        CommandLineText.printable(
          "\(token.id.rawValue)  \(tenant)  \(token.room)  \(token.role.rawValue)  \(token.name ?? "")  \(state) until "
            + "\(DataFolder.text(token.expires))  \(used)") + "\n")
    }
  }
}
