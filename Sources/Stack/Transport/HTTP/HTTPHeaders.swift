/// HTTP header fields (RFC 9110 section 5) in order, found without regard to case.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// The fields, names as they were given.
  public private(set) var fields: [(name: String, value: String)] = []

  public init() {}

  /// Fields from a literal, in its order.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// The first value of `name`; setting replaces every one, nil removes.
  public subscript(name: String) -> String? {
    get {
      let wanted = name.lowercased()
      return fields.first { $0.name.lowercased() == wanted }?.value
    }
    set {
      let wanted = name.lowercased()
      fields.removeAll { $0.name.lowercased() == wanted }
      if let newValue { append(name, newValue) }
    }
  }

  /// Adds a field. Line breaks and other control characters become spaces: they would end the field and start
  /// another (response splitting).
  public mutating func append(_ name: String, _ value: String) {
    func clean(_ text: String) -> String {
      if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) { return text }
      return String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }
    fields.append((clean(name), clean(value)))
  }

  /// Whether both have the same fields in the same order.
  public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
    a.fields.elementsEqual(b.fields) { $0.name == $1.name && $0.value == $1.value }
  }
}
