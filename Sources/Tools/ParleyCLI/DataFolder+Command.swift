import FoundationEssentials
import Meetings

/// The data folder that a command's options name.
extension DataFolder {
  static let option = CommandOptions.Option("data", "DIR", "the server's data folder (PARLEY_DATA, or else data)")

  /// The path that the options or the environment name.
  static func path(_ options: CommandOptions) -> String {
    options["data"] ?? ProcessInfo.processInfo.environment["PARLEY_DATA"] ?? "data"
  }

  /// Opens the folder that the options name. Unless `creating`, it must have been used before, so that a misspelt name does not make
  /// another one.
  static func open(_ options: CommandOptions, creating: Bool = false) async throws -> DataFolder {
    let path = path(options)
    guard creating || isUsed(path) else {
      throw CommandGroup.Failure(
        description:
          "There is no Parley data in \(path). Name the server's folder with --data, or start the server once.")
    }
    return try await open(path)
  }

  /// Opens the folder, lets `body` work on it, and closes it.
  static func with(
    _ options: CommandOptions, creating: Bool = false, _ body: (DataFolder) async throws -> Void
  ) async throws {
    let folder = try await open(options, creating: creating)
    do {
      try await body(folder)
    } catch {
      await folder.close()
      throw error
    }
    await folder.close()
  }

  /// The tenant of that name or API key; without one, the default tenant.
  func requireTenant(_ name: String?) async throws -> Tenant {
    if let tenant = try await tenant(name) { return tenant }
    throw CommandGroup.Failure(
      description:
        "There is no tenant \(name ?? ""). `parley tenant list` shows them all; `parley tenant create` makes one.")
  }

  /// A text as it stands in an address, whatever it is: every byte of it percent-encoded.
  static func segment(_ text: String) -> String {
    text.utf8.reduce(into: "") { out, byte in
      out += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }

  /// A time for people and scripts.
  static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension CommandOptions {
  /// The one operand that a command takes.
  func operand(_ what: String) throws(Problem) -> String {
    guard operands.count == 1, let word = operands.first else {
      throw Problem(description: operands.isEmpty ? "\(what) is expected." : "Only one operand is expected: \(what).")
    }
    return word
  }

  /// For commands that take no operand.
  func requireNoOperands() throws(Problem) {
    if let word = operands.first { throw Problem(description: "\"\(word)\" was not expected; --help shows what is.") }
  }

  /// A whole number, or `none`: nil when the option is absent, `.some(nil)` for none.
  func limit(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int?? {
    if self[name] == "none" { return .some(nil) }
    return try number(name, in: range).map { .some($0) }
  }

  /// An access level.
  func accessLevel() throws(Problem) -> AccessLevel? {
    guard let text = self["access-level"] else { return nil }
    guard let level = AccessLevel.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
      let names = AccessLevel.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(description: "--access-level \(text): one of \(names) is expected.")
    }
    return level
  }
}
