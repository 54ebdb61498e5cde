import Basics
import FoundationEssentials
import Meetings
import Signaling

/// Meetings that take place at a time: participants who come at another time are refused, or wait.
extension RoomMachine {
  /// The phase of the schedule; nil when the meeting isn't scheduled.
  var phase: MeetingSchedule.Phase? {
    guard let schedule = meeting.schedule else { return nil }
    do throws(ScheduleProblem) {
      return try schedule.phase(at: now.date)
    } catch {
      // A meeting at a wrong time is better than none: the zone was known when the meeting was planned.
      log(.error, "schedule.unreadable", ["meeting": setup.identity.id, "reason": error])
      return nil
    }
  }

  /// The admission of a participant who isn't a host while no host is there; nil at the right time.
  func admission(in phase: MeetingSchedule.Phase?) throws(MeetingRoom.Refusal) -> MeetingRoom.Entry? {
    guard let schedule = meeting.schedule else { return nil }
    switch phase {
    case .over?: throw .expired
    case .before(let next)?:
      switch schedule.doors.early {
      case .open: return nil
      case .wait where timeUntilOpening() <= lobbyTimeout:
        return .waits(.start)
      case .wait, .refuse: throw .notStarted(next.local, zone: schedule.zone)
      }
    case .open?, .cancelled?, nil: return nil
    }
  }

  /// How long a participant waits for a host's decision.
  var lobbyTimeout: TimeSpan { meeting.lobby.timeout ?? TimeSpan(setup.limits.lobbyPatience) }

  /// How long it is until the meeting opens. From now on the room's deadline covers that.
  func timeUntilOpening() -> TimeSpan {
    guard case .before(let next)? = phase, let schedule = meeting.schedule else { return .zero }
    let time = next.start - Double(schedule.doors.opensBefore)
    let milliseconds = max(0, time.timeIntervalSince(now.date) * 1_000).rounded(.up)
    let delay = TimeSpan.milliseconds(Int64(min(milliseconds, 1e15)))
    if delay <= lobbyTimeout, lobby.opening.map({ time < $0 || $0 <= now.date }) ?? true { lobby.opening = time }
    return delay
  }
}
