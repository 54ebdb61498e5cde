import Messaging

/// The bytes that a domain stores: messages, attachments and those promised to uploads, texts and keys of chats, and
/// key records. The store counts them with each change.
public struct StorageUsage: Sendable, Hashable {
  public var bytes: Int
  /// The most that it may have.
  public var limit: Int

  /// - Parameter maximum: The domain's own bound.
  init(bytes: Int, maximum: Int?, environment: MessagingDomain.Environment) {
    self.bytes = bytes
    limit = maximum ?? environment.storedBytes
  }

  /// Whether nine tenths are used.
  public var isNearlyFull: Bool { bytes > limit / 10 * 9 }
}

extension MessagingDomain.Environment {
  /// The most bytes that a domain without a bound of its own stores.
  var storedBytes: Int {
    switch self {
    case .sandbox: MessagingLimits.sandboxBytes
    case .production: MessagingLimits.domainBytes
    }
  }
}

/// The bounds of what identities and domains store. A request that frees some is never refused.
extension MailboxLogic {
  /// Refuses a message for which its sender or the domain has no room.
  func requireRoom(forMessage body: Sealed) throws {
    let bytes = body.count + MessagingLimits.messageOverhead
    let stored = try transaction.storedMessageBytes(of: caller.regId)
    guard stored + bytes <= MessagingLimits.storedMessageBytes else {
      throw MessagingFailure(
        .limitReached,
        "Your messages have at most \(MessagingLimits.storedMessageBytes) bytes (storedMessageBytes). Recall some.")
    }
    try requireRoom(for: bytes)
  }

  /// Refuses `bytes` more than the domain stores, if it has no room for them.
  func requireRoom(for bytes: Int) throws {
    let usage = try transaction.usage(of: caller.domain)
    guard bytes <= 0 || usage.bytes + bytes <= usage.limit else {
      throw MessagingFailure(
        .limitReached, "The domain stores as many bytes as it may (domainBytes). Its operator can raise the bound.")
    }
  }
}
