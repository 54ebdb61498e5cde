import Signaling
import Transport

/// The fields of a request's JSON body. Each is read once with its allowed values. Unread fields are refused at the
/// end, so a misspelt field is never ignored.
struct AdminFields {
  private var fields: [String: AdminJSON]

  /// Reads a body. None at all has no fields where that is `optional`.
  init(_ request: HTTPRequest, optional: Bool = false) throws(Refusal) {
    fields = [:]
    if request.body.isEmpty, optional { return }
    fields = try Self.object(of: request, maximumBytes: 64 << 10)
  }

  /// The fields of a body, as they came.
  static func object(
    of request: HTTPRequest, maximumBytes: Int
  ) throws(Refusal) -> [String: AdminJSON] {
    guard !request.body.isEmpty else {
      throw Refusal(400, "missingBody", "A body is missing: a JSON object is expected.")
    }
    try request.requirePlainBody()
    // Pages of other sites cannot send this type without asking first, which nobody answers.
    guard request.mediaType == "application/json" else {
      throw Refusal(415, "notJSON", "The body must be JSON, with Content-Type: application/json.")
    }
    let value: AdminJSON
    do throws(SignalingError) {
      value = try SignalingDecoder().decode(AdminJSON.self, from: request.body, maximumBytes: maximumBytes)
    } catch {
      throw refusal(of: error)
    }
    guard case .object(let object) = value else {
      throw Refusal(400, "badField", "The body is \(value.kind), but an object is expected.")
    }
    return object
  }

  private static func refusal(of error: SignalingError) -> Refusal {
    let (status, code) =
      switch error {
      case .tooLarge: (413, "tooLarge")
      case .tooDeep: (400, "tooDeep")
      case .duplicateKey: (400, "duplicateKey")
      default: (400, "notJSON")
      }
    return Refusal(status, code, "The body cannot be read. \(error.description)")
  }

  /// The request for the audit log: the names of all fields, and the values that are words, numbers or switches.
  /// Secrets and texts are left out.
  var given: String {
    fields.sorted { $0.key < $1.key }.map { name, value in
      switch value {
      case .null: "\(name) none"
      case .truth(let truth): "\(name) \(truth)"
      case .integer(let number): "\(name) \(number)"
      case .text(let word) where Self.spelled.contains(name): "\(name) \(word.prefix(40))"
      default: name
      }
    }.joined(separator: ", ")
  }

  /// The fields whose value is one of some words.
  private static let spelled: Set<String> = [
    "accessLevel", "authentication", "chatWriters", "encryption", "environment", "role", "signIn", "tokenExpiry",
  ]

  /// Whether the field is there, also as null.
  func has(_ name: String) -> Bool { fields[name] != nil }

  /// Takes a field out; nil when it is absent or null, as many serialisers write what is not set. A null that takes
  /// something away is ``limit(_:_:)`` or ``removable(_:_:)``.
  private mutating func remove(_ name: String) -> AdminJSON? {
    let value = fields.removeValue(forKey: name)
    return value == .null ? nil : value
  }

  /// A text of so many characters, without control characters.
  mutating func text(_ name: String, _ length: ClosedRange<Int>) throws(Refusal) -> String? {
    guard let value = remove(name) else { return nil }
    guard case .text(let text) = value, length.contains(text.unicodeScalars.count),
      text.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
    else {
      throw Self.wrong(
        name, "a text of \(length.lowerBound) to \(length.upperBound) characters without control characters")
    }
    return text
  }

  /// One of some words.
  mutating func word(_ name: String, _ words: [String]) throws(Refusal) -> String? {
    guard let value = remove(name) else { return nil }
    guard case .text(let text) = value, words.contains(text) else {
      throw Self.wrong(name, "one of \(words.joined(separator: ", "))")
    }
    return text
  }

  /// A list of different words out of some.
  mutating func words(_ name: String, _ words: [String]) throws(Refusal) -> [String]? {
    let expected = "a list of different ones of \(words.joined(separator: ", "))"
    guard let list = try texts(name, expected) else { return nil }
    guard list.allSatisfy(words.contains), Set(list).count == list.count else { throw Self.wrong(name, expected) }
    return list
  }

  /// A list of texts.
  mutating func texts(_ name: String, most: Int, _ length: ClosedRange<Int>) throws(Refusal) -> [String]? {
    let expected = "a list of at most \(most) texts of \(length.lowerBound) to \(length.upperBound) characters"
    guard let list = try texts(name, expected) else { return nil }
    guard list.count <= most, list.allSatisfy({ length.contains($0.unicodeScalars.count) }) else {
      throw Self.wrong(name, expected)
    }
    return list
  }

  /// A whole number; `2.0` is one too.
  mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(Refusal) -> Int? {
    guard let value = remove(name) else { return nil }
    switch value {
    case .integer(let number) where range.contains(number): return number
    case .number(let number):
      if let number = Int(exactly: number), range.contains(number) { return number }
    default: break
    }
    throw Self.wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
  }

  /// A limit: nil when the field is absent, `.some(nil)` for null, which takes the limit away.
  mutating func limit(_ name: String, _ range: ClosedRange<Int>) throws(Refusal) -> Int?? {
    if fields[name] == .null {
      fields[name] = nil
      return .some(nil)
    }
    return try number(name, range).map { .some($0) }
  }

  /// A text that can be taken away: nil when the field is absent, `.some(nil)` for null.
  mutating func removable(_ name: String, _ length: ClosedRange<Int>) throws(Refusal) -> String?? {
    if fields[name] == .null {
      fields[name] = nil
      return .some(nil)
    }
    return try text(name, length).map { .some($0) }
  }

  /// One of some words that can be taken away, as ``removable(_:_:)`` has it.
  mutating func removable(_ name: String, words: [String]) throws(Refusal) -> String?? {
    if fields[name] == .null {
      fields[name] = nil
      return .some(nil)
    }
    return try word(name, words).map { .some($0) }
  }

  mutating func truth(_ name: String) throws(Refusal) -> Bool? {
    guard let value = remove(name) else { return nil }
    guard case .truth(let truth) = value else { throw Self.wrong(name, "true or false") }
    return truth
  }

  /// The fields of an object.
  mutating func object(_ name: String) throws(Refusal) -> AdminFields? {
    guard let value = remove(name) else { return nil }
    guard case .object(let object) = value else { throw Self.wrong(name, "an object") }
    return AdminFields(fields: object)
  }

  private init(fields: [String: AdminJSON]) { self.fields = fields }

  /// A field that must be there.
  static func needed<T>(_ value: T?, _ name: String) throws(Refusal) -> T {
    guard let value else { throw Refusal(400, "missingField", "The field \(name) is missing.") }
    return value
  }

  /// Refuses fields that nobody has read.
  func finish() throws(Refusal) {
    if let name = fields.keys.sorted().first {
      throw Refusal(400, "unknownField", "There is no field \"\(name.prefix(40))\" here.")
    }
  }

  private mutating func texts(_ name: String, _ expected: String) throws(Refusal) -> [String]? {
    guard let value = remove(name) else { return nil }
    guard case .list(let list) = value else { throw Self.wrong(name, expected) }
    var texts: [String] = []
    for entry in list {
      guard case .text(let text) = entry else { throw Self.wrong(name, expected) }
      texts.append(text)
    }
    return texts
  }

  private static func wrong(_ name: String, _ expected: String) -> Refusal {
    Refusal(400, "badField", "The field \(name) must be \(expected).")
  }
}
