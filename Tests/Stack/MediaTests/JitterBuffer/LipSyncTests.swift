import Basics
import RTC
import TestSeeds
import Testing

@testable import Media

@Suite(.tellsSeeds) struct LipSyncTests {
  /// A jitter buffer as lip-sync sees it: its delay is its network's or the requested one, and it moves there at a
  /// limited speed.
  private struct Buffer {
    var network: TimeSpan
    var own: TimeSpan
    var delay: TimeSpan
    var speed: TimeSpan

    mutating func follow(_ minimum: TimeSpan) {
      let wanted = max(own, minimum)
      delay = wanted > delay ? min(wanted, delay + speed) : max(wanted, delay - speed)
    }
  }

  /// Two streams whose sender's wall clock is `clock` off, and whose RTP clocks began anywhere.
  private static func run(
    audio: Buffer, video: Buffer, clock: Int64 = 0, seconds: Int, seed: UInt64 = 1,
    _ each: (inout LipSync, inout Buffer, inout Buffer, Int) -> Void
  ) {
    var audio = audio
    var video = video
    var lipSync = LipSync()
    var random = SeededGenerator(seed: TestSeed.of(seed))
    let origin = NTPTime(unixNanoseconds: 1_800_000_000_000_000_000 + clock)
    let audioMapping = SenderReportMapping(
      ntp: origin + .milliseconds(700), rtpTimestamp: RTPTimestamp(rawValue: 0xFFFF_F000 &+ 33_600), clockRate: 48_000)
    let videoMapping = SenderReportMapping(
      ntp: origin + .milliseconds(200), rtpTimestamp: RTPTimestamp(rawValue: 77 + 18_000), clockRate: 90_000)
    for tick in 0..<(seconds * 10) {
      // Both play what was captured at some moment; playout is coarse.
      let captured = TimeSpan.milliseconds(Int64(tick) * 100)
      let start = Instant.milliseconds(5_000)
      func played(_ buffer: Buffer, _ captured: TimeSpan) -> Instant {
        start + captured + buffer.network + buffer.delay + .microseconds(Int64(random.unit() * 4_000))
      }
      let shown = captured - .milliseconds(33)
      lipSync.update(
        audio: .init(
          mapping: audioMapping,
          timestamp: RTPTimestamp(rawValue: 0xFFFF_F000 &+ UInt32(truncatingIfNeeded: captured.milliseconds * 48)),
          time: played(audio, captured), delay: audio.delay, network: audio.own),
        video: .init(
          mapping: videoMapping,
          timestamp: RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: 77 + shown.milliseconds * 90)),
          time: played(video, shown), delay: video.delay, network: video.own),
        now: start + captured)
      for _ in 0..<10 {
        audio.follow(lipSync.audioDelay)
        video.follow(lipSync.videoDelay)
      }
      each(&lipSync, &audio, &video, tick)
    }
  }

  private static func apart(_ audio: Buffer, _ video: Buffer) -> Int64 {
    abs((audio.network + audio.delay - video.network - video.delay).milliseconds)
  }

  @Test(arguments: [(20, 150), (150, 20), (40, 40), (10, 300), (300, 10)] as [(Int64, Int64)])
  func streamsWithDifferentDelaysComeIntoStep(audio: Int64, video: Int64) {
    for clock in [0, 86_400_000_000_000 * 365, -7_777_777_777_777] as [Int64] {
      var previous: (TimeSpan, TimeSpan) = (.zero, .zero)
      var worst: Int64 = 0
      var total = TimeSpan.zero
      Self.run(
        audio: Buffer(
          network: .milliseconds(audio), own: .milliseconds(30), delay: .milliseconds(30), speed: .milliseconds(3)),
        video: Buffer(
          network: .milliseconds(video), own: .milliseconds(20), delay: .milliseconds(20), speed: .milliseconds(10)),
        clock: clock, seconds: 20
      ) { lipSync, audio, video, tick in
        if tick >= 60 { worst = max(worst, Self.apart(audio, video)) }
        // Smooth: from the delay that is there, by a few milliseconds.
        if previous.0 > .milliseconds(60) { #expect(lipSync.audioDelay - previous.0 <= LipSync.step) }
        if previous.1 > .milliseconds(60) { #expect(lipSync.videoDelay - previous.1 <= LipSync.step) }
        previous = (lipSync.audioDelay, lipSync.videoDelay)
        total = max(audio.network + audio.delay, video.network + video.delay)
      }
      #expect(worst <= 20, "audio \(audio), video \(video), clock \(clock): \(worst) ms apart")
      // The later stream sets the pace, not more.
      #expect(total <= .milliseconds(max(audio + 30, video + 20) + 20))
    }
  }

  @Test func delayIsGivenBackWhenTheNetworkChanges() {
    var worst: Int64 = 0
    Self.run(
      audio: Buffer(
        network: .milliseconds(20), own: .milliseconds(30), delay: .milliseconds(30), speed: .milliseconds(3)),
      video: Buffer(
        network: .milliseconds(200), own: .milliseconds(30), delay: .milliseconds(30), speed: .milliseconds(10)),
      seconds: 60
    ) { lipSync, audio, video, tick in
      if tick == 200 { video.network = .milliseconds(30) }
      if tick == 400 { audio.own = .milliseconds(250) }
      if (150..<200).contains(tick) || (320..<400).contains(tick) || tick > 520 {
        worst = max(worst, Self.apart(audio, video))
      }
      if tick == 390 { #expect(lipSync.audioDelay <= .milliseconds(60) && lipSync.videoDelay <= .milliseconds(60)) }
    }
    #expect(worst <= 20)
  }

  @Test func delayThatBothStreamsHaveIsGivenBack() {
    var worst: Int64 = 0
    let calm = Buffer(
      network: .milliseconds(20), own: .milliseconds(30), delay: .milliseconds(30), speed: .milliseconds(3))
    Self.run(audio: calm, video: calm, seconds: 70) { lipSync, audio, video, tick in
      // One network after the other gets bad, and each makes the other stream wait; then both are well.
      if tick == 100 { audio.own = .milliseconds(300) }
      if tick == 300 { video.own = .milliseconds(350) }
      if tick == 500 { (audio.own, video.own) = (calm.own, calm.own) }
      if tick == 499 { #expect(audio.delay > .milliseconds(300) && video.delay > .milliseconds(300)) }
      if (200..<300).contains(tick) || (350..<500).contains(tick) || tick > 520 {
        worst = max(worst, Self.apart(audio, video))
      }
      if tick == 600 { #expect(audio.delay <= .milliseconds(60) && video.delay <= .milliseconds(60)) }
    }
    #expect(worst <= 20)
  }

  // Within some seconds; the audio doesn't wait for it.
  @Test(
    "video follows when the audio device's delay falls, without a jerk",
    arguments: [100, 250, 400] as [Int64])
  func soundThatIsHeardSooner(late: Int64) {
    var random = SeededGenerator(seed: TestSeed.of(2))
    let origin = NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)
    let zero = RTPTimestamp(rawValue: 0)
    let audioMapping = SenderReportMapping(ntp: origin, rtpTimestamp: zero, clockRate: 48_000)
    let videoMapping = SenderReportMapping(ntp: origin, rtpTimestamp: zero, clockRate: 90_000)
    var audio = Buffer(network: .zero, own: .milliseconds(20), delay: .milliseconds(20), speed: .milliseconds(1))
    var timing = VideoPlayoutTiming(maximumDelay: .seconds(1), decodeLead: .milliseconds(10))
    var lipSync = LipSync()
    var device = TimeSpan.zero
    var shown: (timestamp: RTPTimestamp, time: Instant)?
    var (before, back): (TimeSpan?, TimeSpan?) = (nil, nil)
    let (rise, fall, end) = (TimeSpan.seconds(10), TimeSpan.seconds(30), TimeSpan.seconds(50))
    for tick in 0..<Int64(end.milliseconds / 10) {
      let time = TimeSpan.milliseconds(tick * 10)
      let now = Instant.milliseconds(5_000) + time
      if time == rise { (before, device) = (timing.currentDelay, .milliseconds(late)) }
      if time == fall {
        #expect(timing.currentDelay > .milliseconds(late))
        device = .zero
      }
      if tick % 4 == 0 {
        let timestamp = RTPTimestamp(rawValue: UInt32(time.milliseconds * 90))
        let arrival = now + .microseconds(Int64(random.unit() * 8_000))
        timing.complete(timestamp: timestamp.rawValue, firstArrival: arrival, completion: arrival)
        let next = timing.renderTime(timing.mediaTime(timestamp.rawValue))
        if let shown, time > .seconds(2) {
          let step = next - shown.time
          #expect(step > .milliseconds(34) && step < .milliseconds(54), "\(step) between two pictures at \(time)")
        }
        shown = (timestamp, next)
      }
      if tick % 10 == 0, let shown {
        lipSync.update(
          audio: .init(
            mapping: audioMapping, timestamp: RTPTimestamp(rawValue: UInt32(time.milliseconds * 48)),
            time: now + audio.delay + device, delay: audio.delay, network: audio.own),
          video: .init(
            mapping: videoMapping, timestamp: shown.timestamp, time: shown.time, delay: timing.currentDelay,
            network: timing.networkDelay),
          now: now)
        timing.minimumDelay = lipSync.videoDelay
      }
      audio.follow(lipSync.audioDelay)
      #expect(audio.delay < .milliseconds(40), "sound waits for \(audio.delay) at \(time)")
      if back == nil, time > fall, let before, timing.currentDelay < before + .milliseconds(20) { back = time - fall }
    }
    #expect(back.map { $0 < .seconds(6) } == true, "back after \(String(describing: back))")
    #expect(abs((lipSync.offset ?? .seconds(1)).milliseconds) < 20)
  }

  @Test func noStreamIsDelayedByMoreThanASecond() {
    Self.run(
      audio: Buffer(
        network: .milliseconds(3_000), own: .milliseconds(30), delay: .milliseconds(30), speed: .milliseconds(3)),
      video: Buffer(network: .zero, own: .milliseconds(30), delay: .milliseconds(30), speed: .milliseconds(10)),
      seconds: 60
    ) { lipSync, _, _, _ in
      #expect(lipSync.videoDelay <= LipSync.maximum)
      #expect(lipSync.audioDelay <= LipSync.maximum)
    }
  }

  @Test func nonsenseInReportsMovesNothing() {
    var lipSync = LipSync()
    let sane = SenderReportMapping(
      ntp: NTPTime(rawValue: 1 << 40), rtpTimestamp: RTPTimestamp(rawValue: 0), clockRate: 48_000)
    let mad = SenderReportMapping(
      ntp: NTPTime(rawValue: .max), rtpTimestamp: RTPTimestamp(rawValue: 1 << 31), clockRate: 0)
    for step in 0..<100 {
      let now = Instant.milliseconds(Int64(step) * 100)
      lipSync.update(
        audio: .init(mapping: sane, timestamp: RTPTimestamp(rawValue: 5), time: now, delay: .zero, network: .zero),
        video: .init(mapping: mad, timestamp: RTPTimestamp(rawValue: 9), time: now, delay: .zero, network: .zero),
        now: now)
    }
    #expect(lipSync.audioDelay == .zero)
    #expect(lipSync.videoDelay == .zero)
    #expect(lipSync.offset == nil)
  }
}
