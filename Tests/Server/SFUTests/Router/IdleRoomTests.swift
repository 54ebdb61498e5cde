import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Idle rooms", .tellsSeeds)
struct IdleRoomTests {
  @Test(
    "500 silent participants wake a worker 20 times a second, and get their reports"
  )
  func wakeups() throws {
    let meeting = try VirtualMeeting()
    var random = SeededGenerator(TestSeed.of(4))
    let router = meeting.router
    var now = meeting.now
    for index in 0..<500 {
      now = now + .microseconds(Int64.random(in: 0..<4_000, using: &random))
      let member = router.add(ParticipantID(rawValue: "p\(index)"), now: now)
      router.open(member, sender: try SRTPSender(.insecureNullForSimulation()))
    }
    let reports = ReportCounter()
    now = now + .seconds(2)
    while router.deadline <= now { router.handleTimeout(now: now, batch: meeting.batch, to: reports) }
    let end = now + .seconds(10)
    reports.count = 0
    var wakeups = 0
    while router.deadline < end {
      now = max(now, router.deadline)
      wakeups += 1
      router.handleTimeout(now: now, batch: meeting.batch, to: reports)
    }
    #expect(wakeups <= 10 * 20 + 1)
    #expect((4_500...5_500).contains(reports.count))
  }
}

private final class ReportCounter: PacketSink {
  var count = 0
  func send(_ batch: OutputBatch, to egress: Egress) { count += batch.packets }
}
