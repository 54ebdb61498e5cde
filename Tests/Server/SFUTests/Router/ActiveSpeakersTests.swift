import Basics
import Testing

@testable import SFU

@Suite("Active speakers")
struct ActiveSpeakersTests {
  @Test("a speaker is reported soon, with a level, and gone soon after")
  func speaks() {
    var speakers = ActiveSpeakers()
    let voice = speakers.add(participant: 4)
    var now = Instant.milliseconds(0)
    var firstReport: Instant?
    for _ in 0..<50 {
      speakers.heard(voice: voice, level: 25, payloadLength: 100, now: now)
      now = now + .milliseconds(20)
      if let report = speakers.poll(now: now), !report.isEmpty, firstReport == nil {
        firstReport = now
        #expect(report[0].participant == 4)
        #expect(report[0].level > 0.4)
      }
    }
    #expect((firstReport ?? .distantFuture) <= .milliseconds(500))
    var silentAt: Instant?
    for _ in 0..<100 {
      speakers.heard(voice: voice, level: 127, payloadLength: 100, now: now)
      now = now + .milliseconds(20)
      if let report = speakers.poll(now: now), report.isEmpty, silentAt == nil { silentAt = now }
    }
    #expect((silentAt ?? .distantFuture) <= .milliseconds(2_500))
  }

  @Test("a short cough does not take the lead from who speaks")
  func cough() {
    var speakers = ActiveSpeakers()
    let talker = speakers.add(participant: 0)
    let cougher = speakers.add(participant: 1)
    var now = Instant.milliseconds(0)
    var leaders: Set<Int> = []
    for tick in 0..<500 {
      speakers.heard(voice: talker, level: 30, payloadLength: 100, now: now)
      let coughs = (200..<206).contains(tick)
      speakers.heard(voice: cougher, level: coughs ? 15 : 110, payloadLength: 100, now: now)
      now = now + .milliseconds(20)
      if let first = speakers.poll(now: now)?.first { leaders.insert(first.participant) }
    }
    #expect(leaders == [0])
  }

  @Test("a speaker who takes over leads within a second")
  func takeover() {
    var speakers = ActiveSpeakers()
    let first = speakers.add(participant: 0)
    let second = speakers.add(participant: 1)
    var now = Instant.milliseconds(0)
    var leader = -1
    for tick in 0..<200 {
      speakers.heard(voice: first, level: tick < 100 ? 30 : 127, payloadLength: 100, now: now)
      speakers.heard(voice: second, level: tick < 100 ? 127 : 30, payloadLength: 100, now: now)
      now = now + .milliseconds(20)
      if let report = speakers.poll(now: now), let top = report.first { leader = top.participant }
      if tick == 99 { #expect(leader == 0) }
      if tick == 150 { #expect(leader == 1) }
    }
  }
}
