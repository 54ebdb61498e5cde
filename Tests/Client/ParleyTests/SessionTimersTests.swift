import Basics
import Testing

@testable import Parley

struct SessionTimersTests {
  private static let second = Instant.zero + .seconds(1)

  /// Notes when it was called, and does then what a test wants.
  private final class Session: TimedSession {
    private(set) var calls: [Instant] = []
    var onTimeout: (() -> Void)?

    func handleTimeout(now: Instant) {
      calls.append(now)
      onTimeout?()
    }
  }

  @Test("due sessions are called once, and the earliest deadline is of the others")
  func due() {
    let timers = SessionTimers()
    let (soon, late) = (Session(), Session())
    timers.set(Self.second, for: timers.add(soon))
    timers.set(Self.second + .seconds(1), for: timers.add(late))
    #expect(timers.earliest == Self.second)
    timers.handleTimeouts(now: Self.second)
    #expect(soon.calls == [Self.second])
    #expect(late.calls == [])
    #expect(timers.earliest == Self.second + .seconds(1))
  }

  @Test("a session that is due at once again doesn't hold the thread")
  func always() {
    let timers = SessionTimers()
    let session = Session()
    let id = timers.add(session)
    session.onTimeout = { timers.set(.zero, for: id) }
    timers.set(.zero, for: id)
    timers.handleTimeouts(now: Self.second)
    #expect(session.calls.count == 1)
    #expect(timers.earliest == .zero)
  }

  @Test("a session removed during calls isn't called, and its place serves the next")
  func removed() {
    let timers = SessionTimers()
    let (first, second, third) = (Session(), Session(), Session())
    let ids = (timers.add(first), timers.add(second))
    first.onTimeout = { timers.remove(ids.1) }
    timers.set(.zero, for: ids.0)
    timers.set(.zero + .milliseconds(1), for: ids.1)
    timers.handleTimeouts(now: Self.second)
    #expect(first.calls.count == 1)
    #expect(second.calls == [])
    #expect(timers.earliest == .distantFuture)
    let id = timers.add(third)
    timers.set(Self.second, for: id)
    timers.handleTimeouts(now: Self.second)
    #expect(third.calls == [Self.second])
    #expect(second.calls == [])
  }
}
