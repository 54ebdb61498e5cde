/// How people who have no token get into a tenant's meetings.
public enum SignInMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Everybody with the address of a room gets a guest's token for it.
  case open
  /// Nobody gets in without a token that the tenant's own server, or `parley token create`, has made.
  case token
  /// People sign in at the tenant's OpenID Connect provider; a token that the tenant has made is accepted too.
  case oidc
}

/// The treatment of a participant whose join token ends.
public enum TokenExpiry: String, Sendable, Hashable, Codable, CaseIterable {
  /// They stay: a token lets people in, and no more.
  case stay
  /// They leave, unless the token is renewed.
  case leave
}

/// The defaults of a tenant's meetings, and its share of the server.
public struct TenantPolicy: Sendable, Hashable {
  /// How people without a token get in.
  public var signIn: SignInMode
  /// The provider for signing in, with ``SignInMode/oidc``; it stays known while another mode is set.
  public var identityProvider: IdentityProvider?
  /// Pages of other servers that may use the tenant's tokens, besides those that a token names; the server's own pages
  /// always may.
  public var allowedOrigins: [WebOrigin]
  /// The people who enter a new meeting without waiting, where its request doesn't say.
  public var accessLevel: AccessLevel
  /// The most participants of a new meeting; nil for as many as the server allows.
  public var capacity: Int?
  /// The most meetings at once; nil for any number.
  public var maximumMeetings: Int?
  /// The most participants at once, in all meetings together; nil for any number.
  public var maximumParticipants: Int?
  /// The most meetings that are kept, running or not; nil for any number.
  public var maximumStoredMeetings: Int?
  /// The most requests a second, over all endpoints that know the tenant; nil for any number.
  public var maximumRequests: Int?
  /// The rules of a new meeting for entering and leaving, where its request doesn't say.
  public var lobby: LobbySettings
  /// The rules for the chat of a new meeting, where its request doesn't say.
  public var chat: ChatPolicy
  /// The most bytes of chat files at once, in all meetings together; nil for as many as the server's setting says.
  public var maximumChatBytes: Int?
  /// The treatment of participants whose tokens end; nil for the server's setting.
  public var tokenExpiry: TokenExpiry?
  /// Whether its meetings may be end-to-end encrypted; nil for what the server's setting says.
  public var encryption: EncryptionPolicy?

  public init(
    signIn: SignInMode, allowedOrigins: [WebOrigin] = [], accessLevel: AccessLevel = .everyone, capacity: Int? = nil,
    maximumMeetings: Int? = nil, maximumParticipants: Int? = nil, maximumStoredMeetings: Int? = nil,
    maximumRequests: Int? = nil, lobby: LobbySettings = LobbySettings(), identityProvider: IdentityProvider? = nil,
    chat: ChatPolicy = ChatPolicy(), maximumChatBytes: Int? = nil, tokenExpiry: TokenExpiry? = nil,
    encryption: EncryptionPolicy? = nil
  ) {
    self.signIn = signIn
    self.allowedOrigins = allowedOrigins
    self.accessLevel = accessLevel
    self.capacity = capacity
    self.maximumMeetings = maximumMeetings
    self.maximumParticipants = maximumParticipants
    self.maximumStoredMeetings = maximumStoredMeetings
    self.maximumRequests = maximumRequests
    self.lobby = lobby
    self.identityProvider = identityProvider
    self.chat = chat
    self.maximumChatBytes = maximumChatBytes
    self.tokenExpiry = tokenExpiry
    self.encryption = encryption
  }
}
