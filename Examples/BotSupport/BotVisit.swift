import Dispatch
import Glibc
public import Parley
import Synchronization

/// A bot's stay in a meeting, which Ctrl-C, SIGTERM and a closed terminal (SIGHUP) end: the bot leaves then, so that the others see it at
/// once. A second signal, more than a second later, ends the process without waiting for that.
///
///     let visit = BotVisit(meeting)
///     let events = meeting.events
///     guard try await visit.join() else { return }
///     for await event in events {
///       if case .ended(let reason, _) = event { try await visit.finish(reason) }
///     }
@MainActor public final class BotVisit {
  private let meeting: Meeting
  private let wishes: AsyncStream<Void>.Continuation
  /// Done when the server knows that the bot has left.
  private let leaving: Task<Void, Never>

  /// From now on signals make the bot leave `meeting`.
  public init(_ meeting: Meeting) {
    let (stream, wishes) = AsyncStream.makeStream(of: Void.self)
    // With nohup the system ignores SIGHUP for the bot, which is to outlive its terminal.
    let numbers = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Self.isIgnored($0) }
    let signals = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler {
        // One wish may come as several signals: `timeout` of GNU signals the process and its group.
        let now = MonotonicClock.now
        let first = Self.first.withLock { first in
          first = first ?? now
          return first ?? now
        }
        if now - first > .seconds(1) { _exit(128 + number) }
        wishes.yield()
      }
      source.resume()
      return source
    }
    self.meeting = meeting
    self.wishes = wishes
    leaving = Task {
      for await _ in stream { break }
      await meeting.leave()
      for source in signals { source.cancel() }
    }
  }

  /// When the first signal came.
  private nonisolated static let first = Mutex<Instant?>(nil)

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self)
  }

  /// Joins the meeting; false when the bot was told to leave meanwhile, and has left.
  public func join() async throws(JoinError) -> Bool {
    do { try await meeting.join() } catch {
      guard meeting.endReason == .left else { throw error }
      await leaving.value
      return false
    }
    return true
  }

  /// Leaves, as a signal would make the bot do.
  public func leave() { wishes.yield() }

  /// To be called when the meeting has ended: waits until the server knows that the bot left.
  /// - Throws: Why the meeting was lost, when it was.
  public func finish(_ reason: EndReason) async throws(JoinError) {
    switch reason {
    case .left: await leaving.value
    case .shutdown: break
    case .failed, .connectionLost, .removed, .expired, .replaced: throw meeting.lastError ?? .ended
    }
  }
}
