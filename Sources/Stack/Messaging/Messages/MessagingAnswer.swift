/// The answer to a request.
public enum MessagingAnswer: Codable, Hashable, Sendable {
  /// It is done, and on the disk where it is kept.
  case done
  case endpoints(endpoints: [EndpointInfo], maximumPersistent: Int, maximumEphemeral: Int)
  case identities(identities: [IdentityInfo])
  case vault(answer: VaultAnswer)
  case chat(chat: ChatInfo)
  /// A page of chats; `isLast` when no other page follows.
  case chats(chats: [ChatInfo], isLast: Bool)
  case sent(number: MessageNumber, time: MessageTime)
  /// In rising order. Deleted ones are left out.
  case messages(messages: [StoredMessage])
  case ticket(ticket: AttachmentTicket)
  case call(callId: CallID, grant: MeetingGrant)
}

/// Why a request, or a `hello`, is refused.
public struct MessagingFailure: Error, Codable, Hashable, Sendable {
  /// The kind of refusal. A kind that this version does not know reads as `unknown`.
  public enum Code: String, Codable, Sendable {
    /// Not a message of this protocol, or a value that is out of its range.
    case badRequest
    /// A bound of ``MessagingLimits`` is reached; the message names it.
    case limitReached
    /// The rate is too high.
    case tooFast
    case unknownDomain
    /// The token is not accepted: unsigned, expired, of another issuer, client or user.
    case tokenRejected
    /// The identity provider's token has ended: send `authToken`.
    case tokenNeeded
    /// The identity provider cannot be reached. Try again.
    case providerUnavailable
    /// The endpoint is not registered any more.
    case endpointDeregistered
    /// Nothing but freeing an endpoint goes while the identity is full.
    case full
    /// It does not exist, or is none of the asking identity's business.
    case notFound
    case notAllowed
    /// A one-to-one chat of these two exists; `chat` names it.
    case alreadyExists
    /// The token does not open the vault.
    case wrongPasscode
    /// The vault is locked after too many tries; `retryAfter` has the seconds.
    case vaultLocked
    /// Another endpoint has forgotten the vault and is making the next one; `retryAfter` has the seconds at most.
    case vaultReserved
    /// The version to replace is not the present one, or another endpoint was faster.
    case versionConflict
    /// There is a vault, and a proof is needed to replace it.
    case proofRequired
    case noVault
    /// The server has lost its pepper: only the recovery key opens the vault.
    case vaultUnreadable
    /// The domain has no key management.
    case noKeyManagement
    /// Nobody of the other side is reachable.
    case unavailable
    /// Something failed in the server. Try again.
    case serverError
    case unknown

    /// Reads a kind, also of a newer version.
    public init(from decoder: any Decoder) throws {
      self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
  }

  public var code: Code
  /// The problem and what was expected, as a sentence for developers.
  public var message: String
  public var chat: ChatID?
  /// Seconds.
  public var retryAfter: Int?
  /// Tries that are left until the vault is locked.
  public var triesLeft: Int?

  public init(
    _ code: Code, _ message: String, chat: ChatID? = nil, retryAfter: Int? = nil,
    triesLeft: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.chat = chat
    self.retryAfter = retryAfter
    self.triesLeft = triesLeft
  }
}
