import FoundationEssentials
import Meetings

extension AuditEntry {
  /// A token that somebody is given: by its id, by which it can be revoked, and never the token itself.
  init(giving token: IssuedToken, for meeting: MeetingRecord, of tenant: Tenant, to actor: String, at now: Date) {
    let seconds = Int(token.expires.timeIntervalSince(now).rounded())
    self.init(
      time: now, actor: actor, tenant: tenant.name, action: "token.create", target: token.id.rawValue,
      detail: "\(token.role.rawValue) in \(meeting.room.display) for \(seconds) s\(token.isGuest ? ", guest" : "")",
      isAnonymous: meeting.isAnonymous)
  }
}
