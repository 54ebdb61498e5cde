public import Parley

/// A bot's stay in a meeting. Ctrl-C, SIGTERM and a closed terminal (SIGHUP) end it: the bot leaves then, so that the
/// others see it at once. A second signal, more than a second later, ends the process without waiting for that.
///
///     let visit = BotVisit(meeting)
///     let events = meeting.events
///     guard try await visit.join() else { return }
///     for await event in events {
///       if case .ended(let reason, _) = event { try await visit.finish(reason) }
///     }
@MainActor public final class BotVisit {
  private let meeting: Meeting
  /// Leaves when a signal comes.
  private let signals: Task<Void, Never>

  /// From now on signals make the bot leave `meeting`. One visit a process.
  public init(_ meeting: Meeting) {
    self.meeting = meeting
    let stream = StopSignals.intercept()
    signals = Task {
      for await _ in stream { await meeting.leave() }
    }
  }

  /// Joins the meeting; false when a signal came first, and the bot has left.
  public func join() async throws(JoinError) -> Bool {
    do { try await meeting.join() } catch {
      guard meeting.endReason == .left else { throw error }
      await meeting.leave()
      return false
    }
    return true
  }

  /// Leaves, as a signal would make the bot do.
  public func leave() { Task { await meeting.leave() } }

  /// To be called when the meeting has ended: waits until the server knows that the bot left.
  /// - Throws: Why the meeting was lost, when it was.
  public func finish(_ reason: EndReason) async throws(JoinError) {
    switch reason {
    case .left: await meeting.leave()
    case .shutdown, .endedByHost: break
    case .failed, .connectionLost, .removed, .expired, .replaced, .tokenExpired, .tokenRevoked:
      throw meeting.lastError ?? .ended
    }
  }
}
