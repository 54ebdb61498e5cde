import FoundationEssentials
import Meetings
import Options

/// The data folder that a command's options name.
extension DataFolder {
  static let option: Option = {
    var option = Option("data", .folder, default: "data", "the server's data folder")
    option.variable = "PARLEY_DATA"
    return option
  }()

  /// The folder that the options name.
  static func path(_ options: CommandOptions) -> String { options["data"] ?? "data" }

  /// Opens the folder that the options name. Unless `creating`, it must have been used before, so that a misspelt name
  /// does not make another one.
  static func open(_ options: CommandOptions, creating: Bool = false) async throws -> DataFolder {
    let path = Self.path(options)
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
  /// The access level that was given.
  func accessLevel() -> AccessLevel? {
    self["access-level"].flatMap { text in
      AccessLevel.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
    }
  }
}

extension Option {
  /// Says which people enter meetings without waiting.
  static func accessLevel(_ summary: String, otherwise: String? = nil) -> Option {
    Option(
      "access-level", .choice(AccessLevel.allCases.map(\.rawValue), anyCase: true, named: "LEVEL"),
      otherwise: otherwise, summary)
  }
}
