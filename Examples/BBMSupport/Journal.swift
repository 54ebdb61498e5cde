import Foundation

/// The app's events, as JSON objects on standard output, one a line.
public enum Journal {
  public static func report(_ event: String, _ fields: [String: Any] = [:]) {
    let row = fields.merging(["event": event]) { old, _ in old }
    guard let data = try? JSONSerialization.data(withJSONObject: row, options: [.sortedKeys, .withoutEscapingSlashes])
    else { return }
    FileHandle.standardOutput.write(data + Data("\n".utf8))
  }
}
