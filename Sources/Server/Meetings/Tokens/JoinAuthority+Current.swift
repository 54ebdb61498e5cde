public import Basics
public import FoundationEssentials

extension JoinAuthority {
  /// An admission with its meeting as it is kept now.
  ///
  /// Between ``admit(token:room:origin:ownOrigin:address:opening:now:)`` and a place in the meeting's room somebody may
  /// change the meeting, remove it, revoke the token, retire the secret that signed it or ban its holder. Ask once the
  /// room is there: what is changed later reaches the room itself.
  public func current(
    _ admission: Admission, address: IPAddress? = nil, now: Date
  ) async throws(JoinRefusal) -> Admission {
    let grant = admission.grant
    let kept: MeetingRecord?
    let isGood: Bool
    do throws(MeetingStoreError) {
      kept = try await store.meeting(id: admission.meeting.id)
      let isRevoked = try await store.isRevoked(grant.id, tenant: grant.tenant)
      isGood = isRevoked ? false : try await isKeyLive(of: grant, now: now)
    } catch {
      throw .unavailable("\(error)")
    }
    // First what holds for the caller also where the meeting is gone: it may go on without its record.
    guard isGood else { throw .badToken }
    try await refuseBanned(grant, from: kept ?? admission.meeting, address: address)
    guard let meeting = kept else { throw .noSuchMeeting }
    guard !meeting.isExpired(at: now) else { throw .meetingExpired }
    var admission = admission
    admission.meeting = meeting
    return admission
  }

  /// Throws ``JoinRefusal/banned`` where the holder of a grant was banned from a meeting.
  func refuseBanned(
    _ grant: JoinGrant, from meeting: MeetingRecord, address: IPAddress?
  ) async throws(JoinRefusal) {
    let isBanned: Bool
    do throws(MeetingStoreError) {
      isBanned = try await self.isBanned(grant, from: meeting, address: address)
    } catch {
      throw .unavailable("\(error)")
    }
    if isBanned { throw .banned }
  }
}
