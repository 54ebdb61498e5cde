import FoundationEssentials
import Meetings
import Signaling

/// A meeting that is changed while it runs.
extension MeetingRoom {
  /// Goes by `record` from now on, when it is newer than what the room knows: for the doors, the lobby, the chat and the end. Who is in stays
  /// in, and who waits and need not any more comes in.
  func take(_ record: MeetingRecord) {
    guard !isClosed, record.id == identity.id, record.revision > meeting.revision else { return }
    let (before, told) = (meeting, info)
    meeting = record
    log.info("meeting.changed", ["meeting": identity.id, "revision": record.revision])
    if before.expires != record.expires {
      endTask?.cancel()
      endTask = nil
      startClock()
      // Those whose token outlasted the meeting were not watched.
      for member in members.values where member.token.due == nil { watchToken(of: member) }
    }
    if before.chat != record.chat {
      forgetChat(chat.set(record.chat, now: Date()))
      keepChat(insteadOf: before.chat)
      pruning?.cancel()
      pruning = nil
      pruneLater()
      for member in members.values { settle(member) }
    }
    if info == told {
      for member in members.values where member.knownRevision == before.revision {
        member.knownRevision = record.revision
      }
    } else {
      for member in members.values { tellMeeting(member) }
    }
    reconsiderWaiters()
  }

  /// Tells a member what the meeting is called by now, when it ends and what its chat takes, if its client does not know yet.
  func tellMeeting(_ member: RoomMember) {
    guard let channel = member.channel, member.knownRevision != meeting.revision else { return }
    member.knownRevision = meeting.revision
    channel.send(.room(.meeting(info)))
  }

  /// Looks again at everybody who waits: they go in, wait for something else, or are told why they cannot come. A lock is no reason to go:
  /// who waited before can still be let in.
  func reconsiderWaiters() {
    let waiting = lobby.waiters
    guard !waiting.isEmpty else { return }
    for waiter in waiting {
      do throws(Refusal) {
        switch try mayEnter(waiter.newcomer) {
        case .enters:
          noteGone(waiter)
          advance(waiter)
        case .waits(let reason) where reason != waiter.reason:
          noteGone(waiter)
          guard let queued = lobby.queue(waiter.id, for: reason) else { continue }
          queued.channel.send(queued.message())
          if reason == .lobby { note(.lobby(.knocked, queued.person)) }
        case .waits: break
        }
      } catch .locked {
      } catch {
        guard let waiter = lobby.take(waiter.id) else { continue }
        noteGone(waiter)
        let (code, message) = error.answer
        turnAway(waiter, code, message)
      }
    }
    lobbyChanged()
  }
}
