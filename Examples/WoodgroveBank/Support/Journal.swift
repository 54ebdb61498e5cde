import Foundation

/// The app's events, as JSON objects on standard output, one a line: for scripts and tests.
@MainActor enum Journal {
  static var isKept = false

  static func note(_ event: String, _ fields: [String: Any] = [:]) {
    guard isKept else { return }
    let row = fields.merging(["event": event]) { old, _ in old }
    guard let data = try? JSONSerialization.data(withJSONObject: row, options: [.sortedKeys, .withoutEscapingSlashes])
    else { return }
    FileHandle.standardOutput.write(data + Data("\n".utf8))
  }
}
