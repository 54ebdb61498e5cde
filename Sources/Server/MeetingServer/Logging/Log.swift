import Basics
import FoundationEssentials
import Glibc
import Synchronization

/// Structured logging: one line an event, `key=value`, to standard error.
///
/// Tokens never get there: what looks like one is replaced whatever field it is in, and secrets print as `<redacted>`.
public struct Log: Sendable {
  /// How important a line is.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error

    /// The level's name as options and lines spell it.
    public var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      }
    }

    /// Whether `a` is less important than `b`.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// The least important level that is written, of this log and its copies.
  public var level: Level { Level(rawValue: threshold.value.load(ordering: .relaxed)) ?? .info }
  private let threshold: Threshold
  private let write: @Sendable (String) -> Void

  /// A log that writes lines of `level` and above; to standard error unless `write` says otherwise.
  public init(level: Level, write: @escaping @Sendable (String) -> Void = Log.toStandardError) {
    threshold = Threshold(level)
    self.write = write
  }

  /// Writes a line in one call, so that lines of several threads do not mix.
  public static let toStandardError: @Sendable (String) -> Void = { line in
    var line = line
    line.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }

  private final class Threshold: Sendable {
    let value: Atomic<Int>
    init(_ level: Level) { value = Atomic(level.rawValue) }
  }

  /// Writes lines of `level` and above from now on, in all copies.
  func setLevel(_ level: Level) { threshold.value.store(level.rawValue, ordering: .relaxed) }

  func debug(_ event: String, _ fields: KeyValuePairs<String, any Sendable> = [:]) { put(.debug, event, fields) }
  func info(_ event: String, _ fields: KeyValuePairs<String, any Sendable> = [:]) { put(.info, event, fields) }
  func warning(_ event: String, _ fields: KeyValuePairs<String, any Sendable> = [:]) { put(.warning, event, fields) }
  func error(_ event: String, _ fields: KeyValuePairs<String, any Sendable> = [:]) { put(.error, event, fields) }

  private func put(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, any Sendable>) {
    guard level >= self.level else { return }
    var line = Self.beginning(level, event)
    for (key, value) in fields { line += " \(key)=\(Self.quote("\(value)"))" }
    write(line + "\n")
  }

  private static func beginning(_ level: Level, _ event: String) -> String {
    "time=\(Date().formatted(.iso8601)) level=\(level.name) event=\(event)"
  }

  /// The line that stands in place of so many others, which could not be written in time.
  public static let droppedNotice: @Sendable (Int) -> String = { count in
    "\(beginning(.warning, "log.dropped")) lines=\(count)\n"
  }

  /// A value as it may stand in a line: without tokens, control characters and line breaks, in quotes where it needs
  /// them.
  static func quote(_ text: String) -> String {
    var text = text
    for mark in ["psat", "eyJ", "T1=="] {
      while let range = text.firstRange(of: mark) {
        let end = text[range.lowerBound...].firstIndex { $0 == " " || $0 == "&" || $0 == "\"" } ?? text.endIndex
        text.replaceSubrange(range.lowerBound..<end, with: "<token>")
      }
    }
    let plain = text.utf8.allSatisfy { byte in
      byte > 32 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=") && byte < 127
    }
    if plain && !text.isEmpty && text.utf8.count <= 200 { return text }
    var out = "\""
    for scalar in text.unicodeScalars.prefix(400) {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.value < 32 || scalar.properties.generalCategory == .control: out += "?"
      case _ where scalar.properties.generalCategory == .format: out += "?"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
