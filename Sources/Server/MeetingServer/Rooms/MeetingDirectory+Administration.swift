import Basics
import Meetings
import Signaling

/// Running meetings for the admin interface and REST.
extension MeetingDirectory {
  /// An admission with its holder's present rights: by the token, by hosts' decisions in the meeting's room, or by
  /// those that a killed server left. Every endpoint that has only a token to go by asks here.
  func present(_ admission: Admission, for use: PermissionContext) async throws(JoinRefusal) -> Admission {
    var admission = admission
    do throws(MeetingRoom.Refusal) {
      if let room = room(of: admission.meeting.id) {
        admission.grant = try await room.present(admission.grant, for: use)
      } else if let left = try await MeetingRoom.decisions(ofOrphan: admission.meeting.id, in: running) {
        let chat = admission.meeting.chat
        admission.grant =
          switch use {
          case .entering: left.applied(to: admission.grant, chat: chat)
          case .outside: left.appliedOutside(to: admission.grant, chat: chat)
          }
      }
    } catch .banned {
      throw .banned
    } catch {
      throw .unavailable("what hosts have decided is not known: \(error.answer.message)")
    }
    return admission
  }

  /// The number of participants in each running meeting.
  func running() async -> [MeetingID: Int] {
    var counts: [MeetingID: Int] = [:]
    for (id, room) in allRooms { counts[id] = await room.count }
    return counts
  }

  /// The room of a running meeting.
  func room(of meeting: MeetingID) -> MeetingRoom? { allRooms[meeting] }

  /// Applies a changed record to a running meeting.
  func changed(_ meeting: MeetingRecord) async { await allRooms[meeting.id]?.change(meeting) }

  /// Ends the sessions with a token, whatever its form and in all meetings. Call it once the store has the revocation.
  func revoked(_ token: TokenID, of tenant: TenantID) async {
    revocations += 1
    for room in allRooms.values { await room.revoke(token, of: tenant) }
  }

  /// Ends the sessions whose tokens were signed with an API secret. Call it once the store has retired the secret.
  func retired(_ key: String, of tenant: TenantID) async {
    revocations += 1
    for room in allRooms.values { await room.retire(key, of: tenant) }
  }

  /// Whether there is something to end: a meeting that runs, or one that a killed server has left and nobody has come
  /// back to yet.
  func canEnd(_ meeting: MeetingID) -> Bool { allRooms[meeting] != nil || running?.isOrphaned(meeting) ?? false }

  /// Ends a running or orphaned meeting for everybody; false when it is neither.
  func end(_ record: MeetingRecord) async -> Bool {
    guard let room = allRooms[record.id] else {
      guard let running, running.isOrphaned(record.id) else { return false }
      // First, so that nobody waits for it in vain when the server is killed between the two.
      _ = await events.isWritten(
        events.add(RoomEvent(.meetingEnded(reason: EndReason.removed.rawValue), in: record)))
      return await running.endOrphan(record.id, of: record.tenant, files)
    }
    await room.end(.removed, "The meeting was ended by the server's administration.")
    forget(room)
    // Waits for the disk: the meeting must not come back after a restart.
    _ = await room.isKept()
    return true
  }

  /// Whether a meeting of a tenant runs here.
  func isRunning(_ tenant: TenantID) -> Bool { allRooms.values.contains { $0.identity.tenant == tenant } }

  /// Ends the rest of a tenant: its orphaned meetings (`left`), and meetings that somebody joined just then. Call it
  /// once the store has removed the tenant.
  func removed(_ tenant: TenantID, left: [MeetingID]) async {
    if let running {
      for meeting in left { _ = await running.endOrphan(meeting, of: tenant, files) }
    }
    for room in allRooms.values where room.identity.tenant == tenant {
      await room.end(.removed, "The meeting was ended by the server's administration.")
      forget(room)
      _ = await room.isKept()
    }
  }

  /// Reports to the webhooks and counters why somebody couldn't join, and returns the reason.
  func told(_ refusal: MeetingRoom.Refusal, _ meeting: MeetingRecord) -> MeetingRoom.Refusal {
    let (code, message): (String, String) =
      switch refusal {
      case .full: ("meetingFull", "Somebody could not join: the meeting is full.")
      case .quota(let reached): ("quotaReached", "Somebody could not join. \(reached.text)")
      case .unavailable(let why): ("unavailable", "Somebody could not join: \(why).")
      default: ("", "")
      }
    switch refusal {
    case .full: limitCounters.add(.capacity)
    case .lobbyFull: limitCounters.add(.lobbyPlaces)
    case .quota(let reached): limitCounters.add(reached.limit)
    default: break
    }
    if !code.isEmpty { events.add(RoomEvent(.error(code: code, message: message), in: meeting)) }
    return refusal
  }
}
