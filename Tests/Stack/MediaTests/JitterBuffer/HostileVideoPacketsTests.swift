import Basics
import Media
import RTC
import TestSeeds
import Testing

@Suite("Video jitter buffer against hostile packets", .tellsSeeds)
struct HostileVideoPacketsTests {
  private func packet(
    _ codec: Codec, _ sequence: Int64, _ timestamp: UInt32, marker: Bool, ssrc: UInt32 = 1, at now: Instant
  ) -> ReceivedPacket {
    ReceivedPacket(
      mid: MID(rawValue: "0"), ssrc: SSRC(rawValue: ssrc), codec: codec, sequence: sequence,
      timestamp: RTPTimestamp(rawValue: timestamp), marker: marker, arrival: now)
  }

  // With wild numbers.
  @Test(
    "threat 17: random packets of every codec neither trap nor fill memory",
    arguments: 1...8 as ClosedRange<UInt64>)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: TestSeed.of(seed))
    var configuration = VideoJitterConfiguration()
    configuration.maximumPackets = 256
    configuration.maximumBytes = 100_000
    configuration.maximumFrames = 32
    var buffer = VideoJitterBuffer(configuration: configuration)
    var now = Instant.zero
    var sequence: Int64 = 0
    var timestamp: UInt32 = 0
    var codec = Codec.vp8
    var packetizer = TestPacketizer(codec: codec, layers: true, random: &random)
    var index = 0
    var frames = 0
    for _ in 0..<20_000 {
      now = now + .microseconds(Int64.random(in: 0...20_000, using: &random))
      if Int.random(in: 0..<400, using: &random) == 0 {
        codec = [.vp8, .vp9, .h264, .av1].randomElement(using: &random) ?? .vp8
        packetizer = TestPacketizer(codec: codec, layers: Bool.random(using: &random), random: &random)
      }
      let isKey = Int.random(in: 0..<30, using: &random) == 0
      let size = Int.random(in: 60...4_000, using: &random)
      let data = TestPacketizer.content(codec, index: index, isKeyframe: isKey, size: size)
      index += 1
      timestamp &+= 3_000
      if Int.random(in: 0..<50, using: &random) == 0 { timestamp = UInt32.random(in: 0...UInt32.max, using: &random) }
      var payloads = packetizer.packetize(
        data, isKeyframe: isKey, layer: UInt8.random(in: 0...3, using: &random),
        isReference: Bool.random(using: &random),
        isSync: Bool.random(using: &random))
      if Int.random(in: 0..<5, using: &random) == 0 { payloads.shuffle(using: &random) }
      for (position, var payload) in payloads.enumerated() {
        for _ in 0..<Int.random(in: 0...2, using: &random) where !payload.bytes.isEmpty {
          let at = min(Int.random(in: 0...8, using: &random), payload.bytes.count - 1)
          payload.bytes[at] = UInt8.random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<40, using: &random) == 0 { payload.bytes = [] }
        if Int.random(in: 0..<20, using: &random) == 0 {
          payload.descriptor = (0..<Int.random(in: 0...300, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
          }
        }
        var number = sequence
        sequence += 1
        switch Int.random(in: 0..<200, using: &random) {
        case 0: number = Int64.random(in: Int64.min...Int64.max, using: &random)
        case 1: number = [Int64.min, .max, 0, -1].randomElement(using: &random) ?? 0
        case 2...8: number -= Int64.random(in: 0...300, using: &random)
        case 9: sequence += Int64.random(in: 0...100_000, using: &random)
        case 10: continue
        default: break
        }
        buffer.take(
          packet(
            codec, number, timestamp, marker: position == payloads.count - 1,
            ssrc: Int.random(in: 0..<900, using: &random) == 0 ? 2 : 1, at: now),
          payload.bytes, payload.descriptor, now: now)
        if buffer.packetCount > 256 || buffer.byteCount > 100_000 {
          Issue.record("seed \(seed): \(buffer.packetCount) packets, \(buffer.byteCount) bytes")
          return
        }
      }
      if Int.random(in: 0..<3, using: &random) > 0 {
        var count = 0
        while buffer.poll(now: now) != nil { count += 1 }
        frames += count
        if count > 64 { Issue.record("seed \(seed): \(count) frames at once") }
        if buffer.deadline <= now { Issue.record("seed \(seed): a deadline that has passed") }
      }
      if Int.random(in: 0..<2_000, using: &random) == 0 { buffer.reset() }
      if Int.random(in: 0..<2_000, using: &random) == 0 { buffer.decodingFailed(now: now) }
      _ = buffer.takeKeyframeRequest()
    }
    #expect(frames > 100)
  }

  @Test("memory stays bounded when nobody takes frames, and the newest keyframe is kept")
  func nobodyPolls() {
    var random = SeededGenerator(seed: TestSeed.of(3))
    var buffer = VideoJitterBuffer()
    var packetizer = TestPacketizer(codec: .vp8, layers: false, random: &random)
    var sequence: Int64 = 0
    for index in 0..<3_000 {
      let now = Instant.milliseconds(Int64(index) * 33)
      let isKey = index % 100 == 0
      let data = TestPacketizer.content(.vp8, index: index, isKeyframe: isKey, size: 5_000)
      let payloads = packetizer.packetize(data, isKeyframe: isKey, layer: 0, isReference: true, isSync: false)
      for (position, payload) in payloads.enumerated() {
        buffer.take(
          packet(.vp8, sequence, UInt32(index * 2_970), marker: position == payloads.count - 1, at: now),
          payload.bytes, nil, now: now)
        sequence += 1
      }
      #expect(buffer.packetCount <= 2_048 && buffer.byteCount <= 8 << 20)
    }
    let now = Instant.milliseconds(3_000 * 33)
    var shown: [Int] = []
    while let frame = buffer.poll(now: now) { shown.append(TestPacketizer.index(of: frame) ?? -1) }
    #expect(shown.last == 2_999)
    #expect(shown.first.map { $0 % 100 } == 0)
    #expect(shown.count <= 256)
  }

  // The next packet follows without a gap.
  @Test("a frame cut off by the forwarder isn't shown, even before a whole one")
  func cutOff() {
    var random = SeededGenerator(seed: TestSeed.of(4))
    for codec in [Codec.vp8, .vp9, .h264, .av1] {
      var buffer = VideoJitterBuffer()
      var packetizer = TestPacketizer(codec: codec, layers: false, random: &random)
      var sequence: Int64 = 0
      var shown: [Int] = []
      for index in 0..<20 {
        let now = Instant.milliseconds(Int64(index) * 33)
        let isKey = index == 0 || index == 11
        let data = TestPacketizer.content(codec, index: index, isKeyframe: isKey, size: 4_000)
        var payloads = packetizer.packetize(data, isKeyframe: isKey, layer: 0, isReference: true, isSync: false)
        let markerAt = payloads.count - 1
        if index == 10 { payloads.removeLast(2) }
        for (position, payload) in payloads.enumerated() {
          buffer.take(
            packet(codec, sequence, UInt32(index * 2_970), marker: position == markerAt, at: now),
            payload.bytes, payload.descriptor, now: now)
          sequence += 1
        }
        let later = now + .milliseconds(32)
        while let frame = buffer.poll(now: later) { shown.append(TestPacketizer.index(of: frame) ?? -1) }
      }
      #expect(shown == (0..<20).filter { $0 != 10 }, "\(codec)")
    }
  }

  // Its own numbers may begin anywhere.
  @Test("the last packets of a former stream don't disturb the next one")
  func streamChange() {
    var random = SeededGenerator(seed: TestSeed.of(5))
    var buffer = VideoJitterBuffer()
    var packetizer = TestPacketizer(codec: .vp8, layers: false, random: &random)
    func send(_ index: Int, key: Bool, ssrc: UInt32, sequence: Int64, at now: Instant) -> Int? {
      let data = TestPacketizer.content(.vp8, index: index, isKeyframe: key, size: 300)
      for payload in packetizer.packetize(data, isKeyframe: key, layer: 0, isReference: true, isSync: false) {
        buffer.take(
          packet(.vp8, sequence, UInt32(index * 3_000), marker: true, ssrc: ssrc, at: now), payload.bytes, nil, now: now
        )
      }
      return buffer.poll(now: now + .milliseconds(10)).flatMap { TestPacketizer.index(of: $0) }
    }
    #expect(send(0, key: true, ssrc: 1, sequence: 1_000_000, at: .zero) == 0)
    #expect(send(1, key: false, ssrc: 1, sequence: 1_000_001, at: .milliseconds(33)) == 1)
    #expect(send(2, key: true, ssrc: 2, sequence: 5, at: .milliseconds(66)) == 2)
    #expect(send(9, key: true, ssrc: 1, sequence: 1_000_002, at: .milliseconds(80)) == nil)
    #expect(buffer.statistics.packetsDiscarded == 1)
  }
}
