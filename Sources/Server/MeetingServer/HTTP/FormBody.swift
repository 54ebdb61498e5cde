import Basics
import Transport

/// The fields of an `application/x-www-form-urlencoded` body or of a query, read leniently.
///
/// Old clients send some values raw (a URL with its `:` and `/`) and others percent-encoded, with lower-case digits,
/// and leave out the content type. So a `%` that starts no valid pair stands for itself, and names are found without
/// regard to case. A field with endless ``CombiningMarks`` counts as absent.
struct FormBody: Sendable {
  /// The most fields looked at.
  static let maximumFields = 100

  private var fields: [String: String] = [:]
  /// A name that comes twice; nil when none does. Two readers could understand such a form differently, so endpoints
  /// refuse it.
  private(set) var repeated: String?

  /// The fields of `text`; of two with one name the first counts, and ``repeated`` says so.
  init(_ text: some StringProtocol) {
    for part in text.split(separator: "&", maxSplits: Self.maximumFields).prefix(Self.maximumFields) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (Self.decode(pair[0]), pair.count == 2 ? Self.decode(pair[1]) : "")
      guard CombiningMarks.areBounded(in: name), CombiningMarks.areBounded(in: value) else { continue }
      if fields[name.lowercased()] == nil {
        fields[name.lowercased()] = value
      } else if repeated == nil {
        repeated = name
      }
    }
  }

  /// The fields of a body, nil when it is not UTF-8 text, or none that anybody writes.
  init?(bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self), CombiningMarks.areBounded(in: text) else { return nil }
    self.init(text)
  }

  /// The fields of a request's body. Throws when the body isn't text, or names a field twice.
  init(of request: HTTPRequest) throws(Refusal) {
    guard let form = FormBody(bytes: request.body) else {
      throw Refusal(400, "badBody", "The body is not UTF-8 text, or has more than 128 combining marks in a row.")
    }
    if let name = form.repeated { throw Refusal(400, "badBody", "The field \(name.prefix(40)) is given twice.") }
    self = form
  }

  /// The fields of a query. One that names a field twice is refused.
  init(query: String?) throws(Refusal) {
    self.init(query ?? "")
    if let repeated {
      throw Refusal(400, "badParameter", "The parameter \(repeated.prefix(40)) is given twice.")
    }
  }

  /// The value of a field, nil when it is missing or empty: HTML forms send every field, also one that nobody filled
  /// in.
  subscript(name: String) -> String? { fields[name.lowercased()].flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether a field is there, with a value or without.
  func contains(_ name: String) -> Bool { fields[name.lowercased()] != nil }

  /// Resolves `%41` and, in forms, `+` for a blank. Replaces invalid UTF-8 in the result.
  static func decode(_ text: some StringProtocol, plusIsBlank: Bool = true) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
        let low = digit(bytes[index + 2])
      {
        out.append(high << 4 | low)
        index += 3
        continue
      }
      out.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      index += 1
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }
}
