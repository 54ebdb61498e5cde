public import FoundationEssentials
public import Messaging

/// The removal of a domain with everything in it. The first transaction ends its use: from then on its endpoints are
/// refused. ``MailboxUpkeep`` removes what is left, a part in each transaction, also after a restart.
public enum DomainRemoval {
  /// Marks a domain and removes the first part of it: all of a small one. Nil when there is none.
  public static func start(
    _ id: DomainID, now: Date, in transaction: any MailboxTransaction
  ) throws -> RemovedRows? {
    guard var domain = try transaction.domain(id) else { return nil }
    if !domain.isBeingRemoved {
      domain.settings.removalStarted = now
      try transaction.update(domain)
    }
    return try transaction.purge(domain: id, limit: MailboxUpkeep.rows)
  }

  /// Refuses what endpoints ask of a domain that is being removed: as after its removal, they are registered no more.
  static func requireKept(_ domain: DomainID, in transaction: any MailboxTransaction) throws {
    if try transaction.isBeingRemoved(domain) {
      throw MessagingFailure(.endpointDeregistered, "The domain is being removed.")
    }
  }
}

extension MessagingDomain {
  /// Whether the domain is refused to everybody, and goes part by part.
  public var isBeingRemoved: Bool { settings.removalStarted != nil }
}
