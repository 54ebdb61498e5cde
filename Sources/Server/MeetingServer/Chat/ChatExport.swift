import FoundationEssentials
import Meetings
import Signaling
import Transport

/// The chat of a meeting as a file: all messages to everybody, and no private ones.
struct ChatExport: Sendable {
  /// How it is written.
  enum Format: String, Sendable, CaseIterable {
    case text, json
  }

  private struct Document: Encodable {
    struct Meeting: Encodable {
      var id: String
      var room: String
      var subject: String
    }
    var meeting: Meeting
    var exported: Date
    var messages: [ChatEntry]
  }

  var record: MeetingRecord
  var messages: [ChatEntry]
  var time = Date()

  /// The answer that a browser saves.
  func response(_ format: Format) -> HTTPResponse {
    var response: HTTPResponse
    switch format {
    case .text: response = .text(text)
    case .json:
      response = .json(
        Document(
          meeting: .init(id: record.id.rawValue, room: record.room.display, subject: record.subject), exported: time,
          messages: messages))
    }
    let ending = format == .text ? "txt" : "json"
    response.headers["Content-Disposition"] = FileAnswer.disposition(
      "attachment", name: FileName.clean("chat \(record.room.display).\(ending)"))
    response.headers["Cache-Control"] = "no-store"
    return response
  }

  /// One line a message; further lines of a message are indented, so that nobody can write a line that looks like
  /// another's.
  private var text: String {
    var out = "Chat of \(Self.line(record.subject)) (\(record.room.display)), \(Self.text(time))\n\n"
    for message in messages {
      out += "[\(Self.text(message.time))] \(Self.line(message.name)): "
      if let file = message.file {
        out += "(file) \(file.name), \(file.size) bytes"
      } else {
        out += Self.lines(message.text).joined(separator: "\n    ")
      }
      out += message.edited == nil ? "\n" : " (edited)\n"
    }
    return out
  }

  private static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line(String($0)) }
  }

  /// Without control characters and direction marks, which could hide what a line says.
  private static func line(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: scalar == "\t"
          // The joiners are part of emoji and scripts.
          case .format: scalar == "\u{200D}" || scalar == "\u{200C}"
          default: true
          }
        }))
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
