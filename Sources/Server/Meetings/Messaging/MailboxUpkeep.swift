public import Messaging

/// The rows of a removed chat, domain or tenant that are gone.
public struct RemovedRows: Sendable, Hashable {
  /// Attachments whose files go.
  public var attachments: [AttachmentID] = []
  /// How many rows are gone.
  public var count = 0
  /// Whether nothing is left.
  public var isComplete = false
}

/// Some of those who share a chat with an identity.
public struct ContactPage: Sendable, Hashable {
  public var contacts: [RegID]
  /// The chat after which the next page begins; nil at the end.
  public var last: ChatID?
}

/// An identity whose new keys are announced in some of its chats only.
public struct KeyNotice: Sendable, Hashable {
  public var regId: RegID
  public var after: ChatID
}

/// A part of the work that a request has left, since one transaction would hold everybody up: messages of chats that
/// are gone, notices about new keys, and domains and tenants that are being removed. The store knows what is left, also
/// after a restart.
public enum MailboxUpkeep: Sendable {
  case removed([AttachmentID])
  case announced(MailboxOutcome, MailboxCaller)

  /// Rows of a table, or notices, that one transaction is about.
  public static let rows = 1_000

  /// Does the next part; nil when nothing is left.
  public static func next(now: MessageTime, in transaction: any MailboxTransaction) throws -> MailboxUpkeep? {
    if let rows = try transaction.purgeRemovedChat(limit: rows) { return .removed(rows.attachments) }
    guard let notice = try transaction.keyNotice() else {
      if let domain = try transaction.domainsBeingRemoved().first {
        return .removed(try transaction.purge(domain: domain, limit: rows).attachments)
      }
      guard let tenant = try transaction.tenantsBeingRemoved().first else { return nil }
      return .removed(try transaction.purge(tenant: tenant, limit: rows).attachments)
    }
    guard let identity = try transaction.identity(notice.regId), let keys = identity.keys,
      try !transaction.isBeingRemoved(identity.domain)
    else {
      try transaction.setKeyNotice(of: notice.regId, after: nil)
      return .removed([])
    }
    let caller = MailboxCaller(
      domain: identity.domain, regId: notice.regId, endpoint: MailboxLogic.unregistered)
    var logic = MailboxLogic(caller, now: now, in: transaction)
    try logic.announce(keys, after: notice.after)
    return .announced(logic.outcome, caller)
  }
}

extension MailboxLogic {
  /// Announces the caller's keys in some of its chats. The rest is upkeep.
  mutating func announce(_ keys: PublicKeys, after chat: ChatID?) throws {
    let page = try transaction.contacts(of: caller.regId, after: chat, limit: MailboxUpkeep.rows)
    for other in page.contacts {
      try deliver(.keysChanged(regId: caller.regId, keys: keys), to: other, subject: "keys:\(caller.regId)")
    }
    try transaction.setKeyNotice(of: caller.regId, after: page.last)
    if page.last != nil { outcome.leavesUpkeep = true }
  }
}
