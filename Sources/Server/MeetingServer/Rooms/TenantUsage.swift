import Basics
import Meetings

/// How much of the server each tenant takes just now. The directory asks and counts in one step, so two join requests
/// can't both take the last session.
struct TenantUsage: Sendable {
  private var meetings: [TenantID: Int] = [:]
  private var participants: [TenantID: Int] = [:]

  /// Why a tenant may have no further participant; nil when it may.
  func refusalOfParticipant(of tenant: Tenant) -> LimitReached? {
    if let most = tenant.policy.maximumParticipants, participants[tenant.id, default: 0] >= most {
      return LimitReached(
        .maximumParticipants,
        "The limit of \(most) participants at once in all meetings of \(tenant.name) is reached (maximumParticipants). Try again later."
      )
    }
    return nil
  }

  /// Why a tenant may have no further meeting; nil when it may.
  func refusalOfMeeting(of tenant: Tenant) -> LimitReached? {
    if let most = tenant.policy.maximumMeetings, meetings[tenant.id, default: 0] >= most {
      return LimitReached(
        .maximumMeetings,
        "The limit of \(most) meetings at once of \(tenant.name) is reached (maximumMeetings). Try again later.")
    }
    return nil
  }

  mutating func opened(_ tenant: TenantID) { meetings[tenant, default: 0] += 1 }
  mutating func closed(_ tenant: TenantID) { Self.take(&meetings, tenant) }
  mutating func came(_ tenant: TenantID) { participants[tenant, default: 0] += 1 }
  mutating func went(_ tenant: TenantID) { Self.take(&participants, tenant) }

  private static func take(_ counts: inout [TenantID: Int], _ tenant: TenantID) {
    guard let count = counts[tenant] else { return }
    counts[tenant] = count > 1 ? count - 1 : nil
  }
}
