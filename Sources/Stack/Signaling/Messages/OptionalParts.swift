extension KeyedDecodingContainer {
  /// An optional part of a message. One of an odd type or value counts as absent, so that it refuses nothing else.
  func optional<Value: Decodable>(_ key: Key, as _: Value.Type = Value.self) -> Value? {
    try? decodeIfPresent(Value.self, forKey: key)
  }

  /// The elements of a list that this version can read. Newer servers may send others.
  func readable<Element: Decodable>(_ key: Key, of _: Element.Type = Element.self) throws -> [Element] {
    try decode([Readable<Element>].self, forKey: key).compactMap(\.value)
  }
}

/// An element that may be of a kind that this version doesn't know.
struct Readable<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}
