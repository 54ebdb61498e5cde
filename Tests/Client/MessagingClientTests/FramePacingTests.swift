import Basics
import Messaging
import Testing

@testable import MessagingClient

@Suite("Pacing of frames")
struct FramePacingTests {
  @Test("requests leave in order at four fifths of the byte budget, short ones by number")
  func bytes() {
    var pacing = FramePacing()
    let body = Sealed(String(repeating: "A", count: MessagingLimits.bodyCharacters))
    for index in 0..<20 {
      pacing.enqueue(.request(id: index, .messageSend(chatId: ChatID("c"), cookie: "\(index)", body: body)))
    }
    for index in 20..<220 { pacing.enqueue(.request(id: index, .chatsGet())) }
    pacing.enqueue(.acknowledge(EventNumber(1)))
    pacing.enqueue(.acknowledge(EventNumber(2)))
    var (now, large, left): (Instant, Int, [Int]) = (.zero, 0, [])
    var acknowledged: [EventNumber] = []
    while now < .milliseconds(60_000) {
      while let frame = pacing.next(now: now) {
        switch frame {
        case .request(let id, _):
          left.append(id)
          if id < 20 { large += MessagingLimits.bodyCharacters }
        case .acknowledge(let number): acknowledged.append(number)
        case .hello, .resume, .ping: break
        }
        let seconds = Int((now - .zero).seconds)
        #expect(large <= FramePacing.bytesBurst + FramePacing.bytesPerSecond * (seconds + 1))
      }
      guard let deadline = pacing.deadline else { break }
      #expect(deadline > now)
      now = deadline
    }
    #expect(left == Array(0..<220) && acknowledged == [EventNumber(2)])
    // 2,000,000 bytes need this long; the short frames behind them go at once.
    #expect(now > .milliseconds(24_000) && now < .milliseconds(32_000))
  }

  @Test("a request refused for now is retried after its seconds, within a minute")
  func retries() throws {
    let ann = try TestEndpoint(FakeService(), user: "ann", instance: 1)
    for (seconds, pause): (Int?, Int64) in [(nil, 3), (5, 5), (0, 1), (9_999, 60)] {
      ann.machine.retryAt = nil
      ann.machine.retryLater(MessagingFailure(.tooFast, "", retryAfter: seconds))
      #expect(ann.machine.retryAt == ann.machine.now + .seconds(pause))
    }
  }
}
