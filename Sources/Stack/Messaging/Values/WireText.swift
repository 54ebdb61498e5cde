/// An opaque id: 1 to 64 characters of base64url's alphabet.
public protocol WireText: Codable, Hashable, Sendable, CustomStringConvertible {
  var text: String { get }
  /// The id as a value of its type, unchecked.
  init(_ text: String)
}

extension WireText {
  /// Whether `text` can be such an id.
  public static func accepts(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Reads and checks a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard Self.accepts(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It isn't an id.")
    }
    self.init(text)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  public var description: String { text }
}

/// A domain: the isolated namespace of one application, a UUID in lower case.
public struct DomainID: WireText {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// One installation of the app, registered with an identity.
public struct EndpointID: WireText {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// A chat, which is the same for all of its participants.
public struct ChatID: WireText {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// An attachment, encrypted by its sender.
public struct AttachmentID: WireText {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// A call or a data connection.
public struct CallID: WireText {
  public let text: String
  public init(_ text: String) { self.text = text }
}
