import FoundationEssentials
import Meetings
import Signaling

/// Meetings that take place at a time: who comes when they do not is told, or waits.
extension MeetingRoom {
  /// What the meeting is doing now; nil when it is not scheduled.
  var phase: MeetingSchedule.Phase? {
    guard let schedule = meeting.schedule else { return nil }
    do throws(ScheduleProblem) {
      return try schedule.phase(at: Date())
    } catch {
      // Better a meeting at a wrong time than none: the zone was known when the meeting was planned.
      log.error("schedule.unreadable", ["meeting": identity.id, "reason": error])
      return nil
    }
  }

  /// What becomes of somebody, no host, who comes while no host is there; nil when they come at the right time.
  func entry(of newcomer: Newcomer, in phase: MeetingSchedule.Phase?) throws(Refusal) -> Entry? {
    guard let schedule = meeting.schedule else { return nil }
    switch phase {
    case .over?: throw .expired
    case .before(let next)?:
      switch schedule.doors.early {
      case .open: return nil
      case .wait where untilOpening() <= patience:
        return .waits(.start)
      case .wait, .refuse: throw .notStarted(next.local, zone: schedule.zone)
      }
    case .open?, .cancelled?, nil: return nil
    }
  }

  /// How long somebody waits here who is let in by hand.
  var patience: Duration {
    meeting.lobby.patience.map { Duration.nanoseconds($0.nanoseconds) } ?? limits.lobbyPatience
  }

  /// How long it is until the doors open; and from now on it is seen to that they do.
  func untilOpening() -> Duration {
    guard case .before(let next)? = phase, let schedule = meeting.schedule else { return .zero }
    let time = next.start - Double(schedule.doors.opensBefore)
    let delay = Duration.milliseconds(Int(max(0, time.timeIntervalSinceNow * 1_000).rounded(.up)))
    if delay <= patience, opening.map({ time < $0.time || $0.time <= Date() }) ?? true {
      opening?.task.cancel()
      opening = (
        time,
        Task { [weak self] in
          guard (try? await Task.sleep(for: delay)) != nil else { return }
          await self?.begin()
        }
      )
    }
    return delay
  }

  /// The meeting's time has come: whoever waited for it goes in, or waits for what else there is to wait for.
  private func begin() {
    guard !Task.isCancelled else { return }
    opening = nil
    reconsiderWaiters()
  }
}
