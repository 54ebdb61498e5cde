import Meetings
import Messaging

/// The end of domains.
extension MailboxHub {
  /// Ends the connections of a domain that is being removed, and goes on with its removal.
  func end(domain: DomainID, _ removed: [AttachmentID] = []) async {
    for (endpoint, session) in sessions where session.caller.domain == domain { remove(endpoint) }
    continueUpkeep()
    for id in removed { await attachments?.remove(id) }
  }

  /// The same for the domain of a removed tenant, which may be gone already.
  func endTenant(_ removed: [AttachmentID]) async {
    await removeDeregistered()
    continueUpkeep()
    for id in removed { await attachments?.remove(id) }
  }

  /// The same for domains that a command has begun to remove. The command may have ended since.
  func endRemovedDomains() async {
    let domains = try? await perform { transaction, _ in try transaction.domainsBeingRemoved() }
    for domain in domains ?? [] { await end(domain: domain) }
  }
}
