/// A claim that a token may leave out. One of an odd form is as absent (RFC 7519 section 4), so that it never refuses
/// the whole token.
///
/// Claims that decide about security are plain properties, and an odd one refuses the token: `exp`, `nbf`, `iss` and
/// `aud`, and what would grant more when it is absent (`role`, `permissions`, `guest`, `ao`, `meeting`, `room`).
@propertyWrapper
struct OptionalClaim<Value: Codable>: Codable {
  var wrappedValue: Value?

  init() { wrappedValue = nil }
  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  init(from decoder: any Decoder) throws { wrappedValue = try? Value(from: decoder) }
  func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
  /// What the synthesised `init(from:)` of the claims calls.
  func decode<Value>(_ type: OptionalClaim<Value>.Type, forKey key: Key) throws -> OptionalClaim<Value> {
    OptionalClaim(wrappedValue: try? decode(Value.self, forKey: key))
  }
}

extension KeyedEncodingContainer {
  /// What the synthesised `encode(to:)` of the claims calls.
  mutating func encode<Value>(_ claim: OptionalClaim<Value>, forKey key: Key) throws {
    try encodeIfPresent(claim.wrappedValue, forKey: key)
  }
}

/// An id, which some servers write as a number.
struct ClaimID: Codable {
  let text: String

  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      text = String(number)
    } else {
      text = try container.decode(String.self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A truth that some servers write as text.
struct ClaimFlag: Codable {
  let isSet: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let truth = try? container.decode(Bool.self) {
      isSet = truth
    } else {
      isSet = try container.decode(String.self) == "true"
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(isSet)
  }
}
