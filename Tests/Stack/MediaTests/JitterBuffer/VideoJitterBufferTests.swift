import Basics
import Media
import RTC
import TestSeeds
import Testing

@Suite("Video jitter buffer", .tellsSeeds)
struct VideoJitterBufferTests {
  static let codecs: [Codec] = [.vp8, .vp9, .h264, .av1]

  private func check(_ outcome: VideoSimulation.Outcome, _ name: String = "") {
    #expect(outcome.violations.isEmpty, "\(name) \(outcome.violations.prefix(5))")
  }

  @Test("without loss every frame is shown, in order, and little later than it came", arguments: codecs)
  func quiet(codec: Codec) {
    let outcome = VideoSimulation(codec: codec, duration: .seconds(30)).run()
    check(outcome)
    #expect(outcome.shown.count == outcome.sent)
    #expect(outcome.requests.isEmpty)
    #expect(outcome.statistics.freezeCount == 0)
    #expect(outcome.statistics.framesDropped == 0)
    #expect(outcome.statistics.keyFramesDecoded == 1)
    // A frame of up to six packets is paced over 11 ms; decoding has 10 ms.
    let late = outcome.shown.dropFirst(60).map { $0.delay }.max()
    #expect(late ?? .seconds(9) <= .milliseconds(22))
  }

  // It is given out as it comes; the first one is shown at once.
  @Test("on a quiet path a frame of one packet is shown 10 ms later")
  func lowLatency() {
    let outcome = VideoSimulation(roundTrip: .zero, deltaSize: 500...900, keySize: 900).run()
    check(outcome)
    #expect(outcome.shown.first?.delay == .zero)
    #expect(outcome.shown.allSatisfy { $0.delay <= .milliseconds(11) })
    #expect(outcome.shown.allSatisfy { $0.given - $0.time >= .milliseconds(-11) })
  }

  @Test("packets that overtake each other cost no frame", arguments: codecs)
  func reordered(codec: Codec) {
    for seed in 1...3 as ClosedRange<UInt64> {
      let outcome = VideoSimulation(codec: codec, seed: seed, jitter: .milliseconds(25)).run()
      check(outcome, "seed \(seed)")
      #expect(outcome.shown.count == outcome.sent, "seed \(seed)")
      #expect(outcome.requests.isEmpty, "seed \(seed)")
    }
  }

  @Test("a packet that is repaired late holds the frames up, and no frame is lost", arguments: codecs)
  func repairedLate(codec: Codec) {
    let outcome = VideoSimulation(codec: codec, lateFrames: [100: .milliseconds(120), 200: .milliseconds(300)]).run()
    check(outcome)
    #expect(outcome.shown.count == outcome.sent)
    #expect(outcome.requests.isEmpty)
    #expect(outcome.statistics.framesDropped == 0)
  }

  // It asks for the keyframe.
  @Test("an unrepaired loss shows nothing broken and continues at a keyframe", arguments: codecs)
  func unrepaired(codec: Codec) {
    for seed in 1...4 as ClosedRange<UInt64> {
      let outcome = VideoSimulation(codec: codec, seed: seed, brokenFrames: [100, 300]).run()
      check(outcome, "seed \(seed)")
      #expect(outcome.requests.count == 2, "seed \(seed) \(outcome.requests)")
      let times = outcome.shown.map(\.time)
      let longest = zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? .zero
      // 500 ms of waiting, 100 ms for the gap to be noticed, a round trip, a frame's time, and the packets of the
      // keyframe.
      #expect(longest < .milliseconds(500 + 100 + 50 + 33 + 50), "seed \(seed) \(longest.milliseconds) ms")
      #expect(outcome.statistics.freezeCount == 2)
      #expect(outcome.statistics.totalFreezesDuration > .milliseconds(800))
    }
  }

  // No server has less than the usual time.
  @Test(
    "a far server has time for four repairs before a keyframe request",
    arguments: [(20, 500), (100, 500), (200, 900), (400, 1_000)] as [(Int64, Int64)])
  func patience(trip: Int64, expected: Int64) throws {
    let outcome = VideoSimulation(roundTrip: .milliseconds(trip), brokenFrames: [100]).run()
    check(outcome)
    let request = try #require(outcome.requests.first)
    let lost = Instant.zero + .milliseconds(100 * 1_000 / 30 + trip / 2)
    let waited = (request - lost).milliseconds
    // The gap is seen with the next packets, at most one frame later.
    #expect((expected...(expected + 80)).contains(waited), "waited \(waited) ms")
  }

  @Test("a whole frame that is lost is noticed by numbers, not by its packets", arguments: codecs)
  func lostWhole(codec: Codec) {
    let outcome = VideoSimulation(codec: codec, lostFrames: [100, 101, 250]).run()
    check(outcome)
    #expect(outcome.requests.count == 2)
    #expect(outcome.shown.last?.index == outcome.sent - 1)
  }

  @Test("a lost frame of a higher layer costs no keyframe and no freeze", arguments: [Codec.vp8, .vp9])
  func layers(codec: Codec) {
    let whole = VideoSimulation(codec: codec, pattern: .threeLayers).run()
    check(whole)
    #expect(whole.shown.count == whole.sent)
    // Frames 101 and 203 are of layer 2, 302 of layer 1.
    for lost in [101, 203, 302] {
      let outcome = VideoSimulation(codec: codec, pattern: .threeLayers, brokenFrames: [lost]).run()
      check(outcome, "\(lost)")
      #expect(outcome.requests.isEmpty, "\(lost)")
      #expect(outcome.statistics.freezeCount == 0)
      #expect(outcome.shown.count >= outcome.sent - 2, "\(lost): \(outcome.shown.count) of \(outcome.sent)")
    }
  }

  @Test("loss with repair: the table of frames, freezes and requests", arguments: [0.02, 0.05, 0.1, 0.2])
  func lossWithRepair(loss: Double) {
    for codec in Self.codecs {
      let outcome = VideoSimulation(codec: codec, seed: 7, duration: .seconds(30), loss: loss).run()
      check(outcome, "\(codec) \(loss)")
      let statistics = outcome.statistics
      print(
        "\(codec) \(loss): \(outcome.shown.count) of \(outcome.sent), \(statistics.freezeCount) freezes",
        "\(statistics.totalFreezesDuration.milliseconds) ms, \(outcome.requests.count) requests,",
        "delay \(outcome.lastDelay.milliseconds) ms")
      let share = Double(outcome.shown.count) / Double(outcome.sent)
      #expect(share > (loss < 0.2 ? 0.99 : 0.95), "\(codec) \(loss): \(share)")
      #expect(outcome.statistics.freezeCount <= (loss < 0.1 ? 1 : 6), "\(codec) \(loss)")
    }
  }

  @Test("loss without repair never shows a frame whose reference is missing", arguments: codecs)
  func lossWithoutRepair(codec: Codec) {
    for seed in 1...3 as ClosedRange<UInt64> {
      for pattern in [VideoSimulation.Pattern.plain, .threeLayers]
      where pattern == .plain || codec == .vp8 || codec == .vp9 {
        let outcome = VideoSimulation(
          codec: codec, pattern: pattern, seed: seed, loss: 0.02, retransmits: false, keySize: 6_000, padding: 0.2
        ).run()
        check(outcome, "seed \(seed) \(pattern)")
        #expect(outcome.shown.count > 20)
        #expect(!outcome.requests.isEmpty)
      }
    }
  }

  @Test("the delay grows within a second of 30 ms of jitter, and shrinks slowly")
  func jitterGrowth() {
    var simulation = VideoSimulation(
      duration: .seconds(20), jitter: .milliseconds(30), jitterFrom: Instant.zero + .seconds(5), deltaSize: 500...900)
    let outcome = simulation.run()
    check(outcome)
    #expect(outcome.shown.count == outcome.sent)
    let after = outcome.shown.filter { $0.index >= 30 * 6 + 15 }
    // A frame that is later than its time is shown late, so its distance to the one before is not the usual 33 ms.
    var late = 0
    for (next, frame) in zip(after.dropFirst(), after) where next.time - frame.time > .milliseconds(45) { late += 1 }
    #expect(late <= after.count / 20, "\(late) of \(after.count)")
    #expect(outcome.lastDelay < .milliseconds(55))
    #expect(outcome.statistics.freezeCount == 0)
    simulation.jitterFrom = .zero
    simulation.jitter = .zero
    #expect(simulation.run().lastDelay <= .milliseconds(12))
  }

  @Test("one stall of the network does not leave the delay high")
  func stall() {
    let outcome = VideoSimulation(
      duration: .seconds(20), deltaSize: 500...900,
      stall: (Instant.zero + .seconds(8))..<(Instant.zero + .milliseconds(8_600))
    ).run()
    check(outcome)
    #expect(outcome.shown.count == outcome.sent)
    #expect(outcome.statistics.freezeCount == 1)
    #expect(outcome.shown.last?.delay ?? .seconds(1) < .milliseconds(25))
    // The frames behind it are shown at an even pace again within half a second.
    let after = outcome.shown.filter { $0.time > Instant.zero + .milliseconds(9_100) }
    #expect(after.allSatisfy { $0.delay < .milliseconds(120) })
  }

  // It asks once, and starts at once.
  @Test("another source in the same numbering waits for its keyframe", arguments: codecs)
  func sourceSwitch(codec: Codec) {
    for seed in 1...4 as ClosedRange<UInt64> {
      let asked = VideoSimulation(codec: codec, seed: seed, duration: .seconds(10), switchAt: 150).run()
      // A source that goes on mid-way refers to frames that the model has, so what counts is that nothing of it is
      // shown.
      check(asked, "seed \(seed)")
      let first = asked.shown.first { $0.index >= 150 }
      #expect(first?.isKeyframe == true, "seed \(seed)")
      #expect(asked.requests.count == 1, "seed \(seed)")
      let begun = VideoSimulation(
        codec: codec, seed: seed, duration: .seconds(10), switchAt: 150, switchBeginsWithKey: true
      ).run()
      check(begun, "seed \(seed)")
      #expect(begun.shown.count == begun.sent, "seed \(seed)")
      #expect(begun.requests.isEmpty, "seed \(seed)")
      let delay = begun.shown.first { $0.index == 150 }?.delay ?? .seconds(9)
      #expect(delay < .milliseconds(40), "seed \(seed)")
    }
  }

  @Test("a sender's pause of a minute needs no keyframe and isn't a freeze", arguments: codecs)
  func pause(codec: Codec) {
    let outcome = VideoSimulation(codec: codec, duration: .seconds(80), pauseFrames: 300..<2_100).run()
    check(outcome)
    #expect(outcome.shown.count == outcome.sent)
    #expect(outcome.requests.isEmpty)
    #expect(outcome.statistics.pauseCount == 1 && outcome.statistics.freezeCount == 0)
    #expect(outcome.shown.last?.delay ?? .seconds(1) < .milliseconds(30))
  }

  @Test("padding between frames, and losing it where numbers prove that, costs nothing", arguments: codecs)
  func padding(codec: Codec) {
    let outcome = VideoSimulation(codec: codec, jitter: .milliseconds(5), padding: 0.5).run()
    check(outcome)
    #expect(outcome.shown.count == outcome.sent)
    #expect(outcome.requests.isEmpty)
  }

  @Test("when no keyframe comes it is asked for again, ever more rarely")
  func backOff() {
    let outcome = VideoSimulation(duration: .seconds(20), brokenFrames: [90], answersKeyframeRequests: false).run()
    check(outcome)
    let apart = zip(outcome.requests.dropFirst(), outcome.requests).map { ($0 - $1).milliseconds }
    #expect(apart.prefix(4) == [300, 600, 1_200, 2_400])
    #expect(apart.dropFirst(4).allSatisfy { $0 == 3_000 })
    #expect(outcome.shown.count == 90)
  }

  @Test(
    "three hours at a clock that is 100 ppm off stay in step, through every wrap", arguments: [-100, 100] as [Int64])
  func drift(partsPerMillion: Int64) {
    let outcome = VideoSimulation(
      framesPerSecond: 2, duration: .seconds(10_800), deltaSize: 60...200, driftPartsPerMillion: partsPerMillion
    ).run()
    check(outcome)
    #expect(outcome.shown.count == outcome.sent)
    #expect(outcome.statistics.freezeCount == 0)
    let late = outcome.shown.dropFirst(20).map(\.delay)
    #expect(late.max() ?? .seconds(1) < .milliseconds(20))
    #expect(late.min() ?? .zero >= .milliseconds(5))
  }

  @Test("lip-sync moves the delay up and down without a jump")
  func minimumDelay() {
    var buffer = VideoJitterBuffer()
    var last: Instant?
    var longest = TimeSpan.zero
    var shortest = TimeSpan.seconds(1)
    var random = SeededGenerator(seed: TestSeed.of(1))
    var packetizer = TestPacketizer(codec: .vp8, layers: false, random: &random)
    for index in 0..<1_200 {
      let sent = Instant.milliseconds(Int64(index) * 40)
      if index == 200 { buffer.minimumDelay = .milliseconds(200) }
      if index == 600 { buffer.minimumDelay = .zero }
      let data = TestPacketizer.content(.vp8, index: index, isKeyframe: index == 0, size: 200)
      for payload in packetizer.packetize(data, isKeyframe: index == 0, layer: 0, isReference: true, isSync: false) {
        buffer.take(
          ReceivedPacket(
            mid: MID(rawValue: "0"), ssrc: SSRC(rawValue: 1), codec: .vp8, sequence: Int64(index),
            timestamp: RTPTimestamp(rawValue: UInt32(index * 3_600)), marker: true, arrival: sent),
          payload.bytes, nil, now: sent)
      }
      if index == 599 { #expect(buffer.currentDelay == .milliseconds(200)) }
      while buffer.deadline < sent + .milliseconds(40) {
        guard let frame = buffer.poll(now: max(buffer.deadline, sent)) else { continue }
        if let last, index > 30 {
          longest = max(longest, frame.time - last)
          shortest = min(shortest, frame.time - last)
        }
        last = frame.time
      }
    }
    #expect(longest <= .milliseconds(70) && shortest >= .milliseconds(37))
    #expect(buffer.currentDelay == .milliseconds(10))
    #expect(buffer.statistics.framesDecoded == 1_200)
  }
}
