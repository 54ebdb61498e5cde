import Basics
import FoundationEssentials
import Meetings
import Signaling

/// A meeting that is changed while it runs.
extension RoomMachine {
  /// Applies a newer record of the meeting: to admission, the lobby, the chat and the end. Participants stay in. Those
  /// in the lobby who needn't wait any more come in.
  func changeMeeting(_ record: MeetingRecord) {
    guard !isClosed, record.id == setup.identity.id, record.revision > meeting.revision else { return }
    let (before, knownInfo) = (meeting, info)
    meeting = record
    // Decided once: a record that was read before that doesn't take it back.
    if let isEncrypted = before.isEncrypted { meeting.isEncrypted = isEncrypted }
    log(.info, "meeting.changed", ["meeting": setup.identity.id, "revision": record.revision])
    if before.expires != record.expires {
      lifeCycle.watchesEnd = true
      // Participants whose token outlasted the meeting weren't watched.
      for member in roster.members where member.token.due == nil { watchToken(of: member) }
    }
    if before.chat != record.chat {
      forgetChat(chat.set(record.chat, now: now.date))
      changeChatKeeping(from: before.chat)
      chatPruning = nil
      schedulePruning()
      for member in roster.members { applyRights(to: member) }
    }
    if info == knownInfo {
      for member in roster.members where member.knownRevision == before.revision {
        member.knownRevision = record.revision
      }
    } else {
      for member in roster.members { notifyMeeting(member) }
    }
    reconsiderWaiters()
  }

  /// Sends a member the meeting's title, end and chat rules, unless its client knows them.
  func notifyMeeting(_ member: RoomMember) {
    guard let channel = member.channel, member.knownRevision != meeting.revision else { return }
    member.knownRevision = meeting.revision
    channel.send(.room(.meeting(info)))
  }

  /// Decides again about everybody in the lobby: they come in, wait for something else, or are refused. A lock refuses
  /// nobody who already waits; hosts can still admit them.
  func reconsiderWaiters() {
    let waiting = lobby.waiters
    guard !waiting.isEmpty else { return }
    for waiter in waiting {
      do throws(MeetingRoom.Refusal) {
        switch try admission(of: waiter.request) {
        case .enters:
          reportGone(waiter)
          advance(waiter)
        case .waits(let reason) where reason != waiter.reason:
          reportGone(waiter)
          guard let queued = lobby.requeue(waiter.id, for: reason) else { continue }
          client(queued.request.channel).send(queued.message(now: now.instant))
          if reason == .lobby { report(.lobby(.knocked, queued.person)) }
        case .waits: break
        }
      } catch .locked {
      } catch {
        guard let waiter = lobby.remove(waiter.id) else { continue }
        reportGone(waiter)
        turnAway(waiter, error.answer)
      }
    }
    lobbyChanged()
  }
}
