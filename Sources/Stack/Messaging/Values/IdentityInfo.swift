/// An identity as others of its domain see it.
public struct IdentityInfo: Codable, Hashable, Sendable {
  public var regId: RegID
  /// The id that the app's identity provider gives the user.
  public var appUserId: String
  /// Eight lower-case hexadecimal digits.
  public var pin: String
  /// Its public keys; nil until it has published some.
  public var keys: PublicKeys?

  public init(regId: RegID, appUserId: String, pin: String, keys: PublicKeys? = nil) {
    self.regId = regId
    self.appUserId = appUserId
    self.pin = pin
    self.keys = keys
  }
}

/// The public halves of an identity's keys, in base64url. The server stores them, and checks their length only.
public struct PublicKeys: Codable, Hashable, Sendable {
  /// Ed25519, 32 bytes.
  public var signing: Sealed
  /// X25519 for HPKE, 32 bytes.
  public var encryption: Sealed
  /// Counts the key pairs of an identity from 1. The server refuses one that does not rise.
  public var generation: Int

  public init(signing: Sealed, encryption: Sealed, generation: Int) {
    self.signing = signing
    self.encryption = encryption
    self.generation = generation
  }
}

/// An endpoint as the other endpoints of its identity see it.
public struct EndpointInfo: Codable, Hashable, Sendable {
  public var endpointId: EndpointID
  /// A description for people, at most ``MessagingLimits/descriptionCharacters``.
  public var description: String
  /// The user's name for it.
  public var nickname: String
  /// Whether it asks itself.
  public var isCurrent: Bool
  /// Whether it counts in the quota of persistent endpoints; otherwise in that of ephemeral ones.
  public var isPersistent: Bool
  /// Whether it is connected now.
  public var isConnected: Bool

  public init(
    endpointId: EndpointID, description: String, nickname: String, isCurrent: Bool, isPersistent: Bool,
    isConnected: Bool
  ) {
    self.endpointId = endpointId
    self.description = description
    self.nickname = nickname
    self.isCurrent = isCurrent
    self.isPersistent = isPersistent
    self.isConnected = isConnected
  }
}
