/// A sealed message of the key exchange on its way to one participant.
public struct AddressedEnvelope: Sendable, Hashable, Codable {
  /// The participant who can open it.
  public var to: String
  /// The envelope, in base64url.
  public var envelope: String

  /// An envelope for `to`.
  public init(to: String, envelope: String) {
    self.to = to
    self.envelope = envelope
  }
}

/// A sealed message of the key exchange, as its receiver gets it.
public struct ReceivedEnvelope: Sendable, Hashable, Codable {
  /// The participant who sent it, by the server's word; the envelope itself proves it.
  public var from: String
  /// The envelope, in base64url.
  public var envelope: String

  /// An envelope of `from`.
  public init(from: String, envelope: String) {
    self.from = from
    self.envelope = envelope
  }
}
