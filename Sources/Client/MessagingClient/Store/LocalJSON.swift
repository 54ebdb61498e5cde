import FoundationEssentials

/// JSON of values of this module, inside sealed records and sealed messages.
enum LocalJSON {
  /// The bytes; empty where a value has no JSON, which reads as a damaged record.
  static func encode(_ value: some Encodable) -> [UInt8] {
    guard let data = try? JSONEncoder().encode(value) else { return [] }
    return [UInt8](data)
  }

  /// The value, nil when the bytes are another's.
  static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(type, from: Data(bytes))
  }

  /// Whether a text is a JSON object, as apps give their data.
  static func isObject(_ text: String) -> Bool {
    guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return false }
    return (try? JSONDecoder().decode([String: Ignored].self, from: Data(text.utf8))) != nil
  }

  /// Any JSON value, unread.
  private struct Ignored: Decodable {
    init(from decoder: any Decoder) throws {}
  }
}
