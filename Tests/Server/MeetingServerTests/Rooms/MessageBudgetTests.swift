import Basics
import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("The messages of participants that are passed on")
struct MessageBudgetTests {
  private static let rates = MessageBudget.Rates()

  /// Senders who send as much as they may for a while: what of it was passed on, of each.
  private func flood(_ count: Int, size: Int, seconds: Int, _ budget: inout MessageBudget) -> [Int] {
    var senders = [MessageBudget.Sender](repeating: .init(), count: count)
    var passed = [Int](repeating: 0, count: count)
    for step in 0..<seconds * 50 {
      let now = Instant.milliseconds(Int64(step) * 20)
      for index in senders.indices where budget.spend(size, of: &senders[index], isHost: false, now: now) == nil {
        passed[index] += size + MessageBudget.overhead
      }
    }
    return passed
  }

  @Test(
    "threat 41: one sender's messages go out at the sender's rate, whatever it sends", arguments: [0, 1_000, 16_384])
  func sender(size: Int) {
    var budget = MessageBudget(Self.rates, now: .zero)
    let passed = flood(1, size: size, seconds: 60, &budget)[0]
    #expect(passed <= Self.rates.sender * 64)
    // Fifty a second are less than that where they are small.
    #expect(passed >= min(Self.rates.sender * 30, 50 * 60 * (size + MessageBudget.overhead)), "\(passed)")
  }

  @Test(
    "threat 41: many senders share the meeting's rate, and a burst fits any socket"
  )
  func meeting() {
    var budget = MessageBudget(Self.rates, now: .zero)
    let passed = flood(40, size: 16_384, seconds: 60, &budget).reduce(0, +)
    #expect(passed <= Self.rates.meeting * 60 + 768 << 10)
    #expect(passed >= Self.rates.meeting * 50, "\(passed)")
    var fresh = MessageBudget(Self.rates, now: .zero)
    let atOnce = flood(40, size: 16_384, seconds: 1, &fresh).reduce(0, +)
    #expect(atOnce < 1 << 20)
    // The same of small ones, by number.
    var small = MessageBudget(Self.rates, now: .zero)
    let count = flood(40, size: 0, seconds: 60, &small).reduce(0, +) / MessageBudget.overhead
    #expect(count <= MessageBudget.messages.perSecond * 60 + MessageBudget.messages.burst)
  }

  @Test("threat 41: joins leave a quarter of the budget to hosts, and less to senders")
  func joins() {
    var budget = MessageBudget(Self.rates, now: .zero)
    var joined = 0
    while budget.spendAnnouncement(10_000, isHost: false, now: .zero) == nil { joined += 1 }
    #expect(joined * 10_300 <= 576 << 10 && joined > 50)
    let refused = budget.spendAnnouncement(10_000, isHost: false, now: .zero)
    #expect(refused?.limit == .meetingRate)
    let host = budget.spendAnnouncement(10_000, isHost: true, now: .zero)
    #expect(host == nil)
    // Five hundred who come at once with a camera and a microphone are taken.
    var fresh = MessageBudget(Self.rates, now: .zero)
    for _ in 0..<500 {
      let reached = fresh.spendAnnouncement(40 + 2 * MessageBudget.overhead / 2, isHost: false, now: .zero)
      #expect(reached == nil)
    }
  }

  @Test("threat 41: next to busy senders, quiet participants and hosts are heard")
  func fairness() {
    var budget = MessageBudget(Self.rates, now: .zero)
    var crowd = [MessageBudget.Sender](repeating: .init(), count: 12)
    var (guest, host) = (MessageBudget.Sender(), MessageBudget.Sender())
    var refused = 0
    for step in 0..<60 * 50 {
      let now = Instant.milliseconds(Int64(step) * 20)
      for index in crowd.indices { _ = budget.spend(16_384, of: &crowd[index], isHost: false, now: now) }
      guard step % 50 == 49 else { continue }
      if budget.spend(200, of: &guest, isHost: false, now: now) != nil { refused += 1 }
      if budget.spend(200, of: &host, isHost: true, now: now) != nil { refused += 1 }
    }
    #expect(refused == 0)
  }

  @Test("threat 41: after a refusal nothing goes out for half a second, so order holds")
  func order() {
    var budget = MessageBudget(Self.rates, now: .zero)
    var sender = MessageBudget.Sender()
    var refused: LimitReached?
    for _ in 0..<100 where refused == nil { refused = budget.spend(16_384, of: &sender, isHost: false, now: .zero) }
    #expect(refused?.limit == .senderRate && refused?.text.contains("64 KiB") == true)
    let soon = budget.spend(1, of: &sender, isHost: false, now: .milliseconds(499))
    #expect(soon?.limit == .senderRate)
    let later = budget.spend(1, of: &sender, isHost: false, now: .milliseconds(999))
    #expect(later == nil)
    // Messages that must go out do, and are paid for.
    var (owed, now) = (0, Instant.milliseconds(1_000))
    while budget.spend(16_384, of: &sender, isHost: false, .owed, now: now) == nil { owed += 16_384 }
    #expect((128 << 10...512 << 10).contains(owed), "\(owed)")
    now = .milliseconds(60_000)
    let again = budget.spend(16_384, of: &sender, isHost: false, now: now)
    #expect(again == nil)
  }

  @Test("threat 41: a meeting's data has its own bound, told its sender once a second")
  func data() {
    var budget = MessageBudget(Self.rates, now: .zero)
    var senders = [MessageBudget.Sender](repeating: .init(), count: 8)
    var quiet = MessageBudget.Sender()
    var (passed, told, lost) = (0, 0, 0)
    for step in 0..<10 * 100 {
      let now = Instant.milliseconds(Int64(step) * 10)
      for index in senders.indices {
        guard let (reached, isNews) = budget.spendData(10_000, of: &senders[index], now: now) else {
          passed += 10_000
          continue
        }
        #expect(reached.limit == .meetingDataRate)
        if isNews { told += 1 }
      }
      if step % 100 == 99, budget.spendData(1_000, of: &quiet, now: now) != nil { lost += 1 }
    }
    #expect(passed <= Self.rates.data * 12 && passed >= Self.rates.data * 9, "\(passed)")
    #expect(told <= 8 * 10 && told >= 8)
    #expect(lost == 0)
  }
}
