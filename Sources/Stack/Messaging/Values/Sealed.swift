/// Bytes that clients have encrypted, or made for each other, in base64url without padding. The server never opens
/// them.
public struct Sealed: Codable, Hashable, Sendable {
  /// The base64url text.
  public let text: String

  /// The text as it goes over the wire, unchecked.
  public init(_ text: String) { self.text = text }

  /// Reads and checks a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try container.decode(String.self)
    guard Self.accepts(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It isn't base64url without padding.")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Characters, and so bytes on the wire.
  public var count: Int { text.utf8.count }

  private static func accepts(_ text: String) -> Bool {
    text.utf8.count % 4 != 1
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

/// Something for one identity alone, e.g. a chat's key in an HPKE envelope.
public struct SealedEnvelope: Codable, Hashable, Sendable {
  public var to: RegID
  /// The sealed value, which only the recipient opens.
  public var sealed: Sealed

  public init(to: RegID, sealed: Sealed) {
    self.to = to
    self.sealed = sealed
  }
}
