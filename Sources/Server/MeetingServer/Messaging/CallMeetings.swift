import Basics
import FoundationEssentials
import Meetings
import Messaging

/// The meetings in which the media of calls flow: one for each call, for two, end-to-end encrypted.
struct CallMeetings: Sendable {
  let store: any AdmissionStore
  let authority: JoinAuthority

  /// How long a call lasts at most.
  static let lifetime: TimeInterval = 24 * 3_600

  /// Makes the meeting of a call, with the caller's grant. The room has the call's name.
  func open(
    _ call: CallID, for caller: MailboxCaller, of tenantID: TenantID, now: Date
  ) async throws(MessagingFailure) -> MeetingGrant {
    let tenant = try await tenant(tenantID)
    do {
      var meeting = MeetingRecord(
        tenant: tenant.id, room: try Self.room(call), kind: .adHoc, subject: "Call", created: now,
        expires: now + Self.lifetime, capacity: 4, lobby: LobbySettings(announces: false))
      meeting.isEncrypted = true
      let made = meeting
      try await store.transaction { try $0.insert(made) }
      return try grant(meeting, tenant, caller.regId, now)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Removes the meeting of a call that is over. People who are in it stay, and nobody else gets in.
  func close(_ call: CallID, of tenantID: TenantID) async throws(MessagingFailure) {
    do {
      guard let meeting = try await store.meeting(room: try Self.room(call), tenant: tenantID) else { return }
      try await store.transaction { _ = try $0.removeMeeting(meeting.id) }
    } catch {
      throw Self.failure(error)
    }
  }

  /// The callee's grant for a call.
  func join(
    _ call: CallID, as caller: MailboxCaller, of tenantID: TenantID, now: Date
  ) async throws(MessagingFailure) -> MeetingGrant {
    let tenant = try await tenant(tenantID)
    do {
      guard let meeting = try await store.meeting(room: try Self.room(call), tenant: tenant.id) else {
        throw MessagingFailure(.notFound, "The call is over.")
      }
      return try grant(meeting, tenant, caller.regId, now)
    } catch {
      throw Self.failure(error)
    }
  }

  private func tenant(_ id: TenantID) async throws(MessagingFailure) -> Tenant {
    do throws(MeetingStoreError) {
      if let tenant = try await store.tenant(id: id) { return tenant }
    } catch {
      throw Self.failure(error)
    }
    throw MessagingFailure(.unknownDomain, "The domain is gone.")
  }

  private func grant(
    _ meeting: MeetingRecord, _ tenant: Tenant, _ regId: RegID, _ now: Date
  ) throws -> MeetingGrant {
    let token = JoinToken(
      tenant: tenant.id, target: .meeting(meeting.id), role: .publisher, user: "messaging \(regId)", notBefore: now,
      expires: now + Self.lifetime)
    return MeetingGrant(room: meeting.room.display, token: try authority.sign(token, tenant: tenant).value)
  }

  private static func room(_ call: CallID) throws -> RoomName { try RoomName("call-\(call)") }

  private static func failure(_ error: any Error) -> MessagingFailure {
    if let failure = error as? MessagingFailure { return failure }
    if case MeetingStoreError.tooManyMeetings = error {
      return MessagingFailure(.limitReached, "The domain's tenant has as many meetings as it may.")
    }
    return MessagingFailure(.serverError, "The meeting of the call could not be made. Try again.")
  }
}
