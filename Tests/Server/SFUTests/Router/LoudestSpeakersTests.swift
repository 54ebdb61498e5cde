import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Loudest speakers", .tellsSeeds)
struct LoudestSpeakersTests {
  /// Seeded people who talk in spurts: at most `talkers` at a time, each packet 20 ms, with pauses between words.
  private struct Conversation {
    var random: SeededGenerator
    let people: Int
    let talkers: Int
    var talking: [Int: (until: Instant, since: Instant)] = [:]

    mutating func next(_ now: Instant) {
      talking = talking.filter { $0.value.until > now }
      while talking.count < talkers, Double.random(in: 0..<1, using: &random) < 0.03 {
        let who = Int.random(in: 0..<people, using: &random)
        if talking[who] == nil {
          let length = Int64.random(in: 800...6_000, using: &random)
          talking[who] = (now + .milliseconds(length), now)
        }
      }
    }

    mutating func level(_ who: Int) -> UInt8 {
      guard talking[who] != nil else { return UInt8.random(in: 75...127, using: &random) }
      return UInt8.random(in: 22...45, using: &random)
    }
  }

  @Test("every speaker is forwarded within 100 ms while there is room", arguments: 1...6)
  func heardSoon(seed: UInt64) {
    var voices = LoudestSpeakers(places: 4)
    var talk = Conversation(random: SeededGenerator(TestSeed.of(seed)), people: 60, talkers: 2)
    for voice in 0..<60 { voices.add(voice: voice) }
    var now = Instant.milliseconds(5_000)
    var lastTalked: [Int: Instant] = [:]
    var checked = 0
    for _ in 0..<12_000 {
      now = now + .milliseconds(20)
      talk.next(now)
      for voice in 0..<60 {
        _ = voices.heard(voice: voice, level: talk.level(voice), payloadLength: 80, now: now)
      }
      for (who, spurt) in talk.talking {
        lastTalked[who] = now
        // Others who talked within the last second hold places of their own.
        let recent = lastTalked.filter { $0.key != who && now - $0.value < LoudestSpeakers.hold + .milliseconds(300) }
        if now - spurt.since >= .milliseconds(80), recent.count < 4 {
          checked += 1
          #expect(voices.isChosen(who), "\(who) talks since \(now - spurt.since) and is not heard")
        }
      }
      #expect(voices.chosen.count <= 4)
    }
    #expect(checked > 2_000)
  }

  @Test("a chosen speaker stays chosen for a second, however many talk at once", arguments: 1...6)
  func steady(seed: UInt64) {
    var voices = LoudestSpeakers(places: 3)
    var talk = Conversation(random: SeededGenerator(TestSeed.of(seed)), people: 40, talkers: 12)
    for voice in 0..<40 { voices.add(voice: voice) }
    var now = Instant.milliseconds(5_000)
    var since: [Int: Instant] = [:]
    var changes = 0
    for _ in 0..<6_000 {
      now = now + .milliseconds(20)
      talk.next(now)
      for voice in 0..<40 {
        let before = Set(voices.chosen)
        let change = voices.heard(voice: voice, level: talk.level(voice), payloadLength: 80, now: now)
        let after = Set(voices.chosen)
        #expect((change == .places) == (before != after))
        for gone in before.subtracting(after) {
          let stayed = now - (since[gone] ?? .zero)
          #expect(stayed >= LoudestSpeakers.stay, "\(gone) had its place for \(stayed) only")
          changes += 1
        }
        for new in after.subtracting(before) { since[new] = now }
      }
    }
    #expect(voices.chosen.count == 3)
    #expect(changes < 3 * 120)
  }

  @Test("a speaker keeps its place for a silent second, and longer while nobody wants it")
  func hold() {
    var voices = LoudestSpeakers(places: 1)
    for voice in 0..<2 { voices.add(voice: voice) }
    var now = Instant.milliseconds(1_000)
    func talk(_ voice: Int, _ level: UInt8, _ milliseconds: Int) {
      for _ in 0..<(milliseconds / 20) {
        now = now + .milliseconds(20)
        _ = voices.heard(voice: voice, level: level, payloadLength: 80, now: now)
      }
    }
    talk(0, 30, 2_000)
    #expect(voices.chosen == [0])
    talk(0, 127, 5_000)
    #expect(voices.chosen == [0])
    talk(1, 30, 100)
    #expect(voices.chosen == [1])
    talk(1, 30, 1_500)
    talk(0, 32, 900)
    #expect(voices.chosen == [1], "the place of somebody silent for less than a second was taken")
    talk(0, 32, 400)
    #expect(voices.chosen == [0])
  }

  @Test("among talkers a clearly louder voice gets a place, an equally loud one doesn't")
  func louder() {
    var voices = LoudestSpeakers(places: 2)
    for voice in 0..<4 { voices.add(voice: voice) }
    var now = Instant.milliseconds(1_000)
    func talk(_ levels: [UInt8], _ milliseconds: Int) {
      for _ in 0..<(milliseconds / 20) {
        now = now + .milliseconds(20)
        for (voice, level) in levels.enumerated() {
          _ = voices.heard(voice: voice, level: level, payloadLength: 80, now: now)
        }
      }
    }
    talk([30, 40, 127, 127], 3_000)
    #expect(Set(voices.chosen) == [0, 1])
    talk([30, 40, 38, 127], 3_000)
    #expect(Set(voices.chosen) == [0, 1])
    talk([30, 40, 38, 25], 1_500)
    #expect(Set(voices.chosen) == [0, 3])
  }

  @Test("one loud packet, comfort noise and who is muted get no place")
  func clicks() {
    var voices = LoudestSpeakers(places: 3)
    for voice in 0..<3 { voices.add(voice: voice) }
    var now = Instant.milliseconds(1_000)
    for index in 0..<500 {
      now = now + .milliseconds(20)
      _ = voices.heard(voice: 0, level: index % 10 == 0 ? 0 : 127, payloadLength: 80, now: now)
      _ = voices.heard(voice: 1, level: 10, payloadLength: 2, now: now)
      _ = voices.heard(voice: 2, level: 30, payloadLength: 80, now: now)
    }
    #expect(voices.chosen == [2])
    let hadPlace = voices.silence(voice: 2)
    #expect(hadPlace)
    #expect(voices.chosen.isEmpty)
    let hadOneStill = voices.remove(voice: 2)
    #expect(!hadOneStill)
  }
}
