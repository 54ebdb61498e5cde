import Basics
import Media
import NetworkEmulator
import RTC
import TestSeeds

/// One sender of video, a network and a ``VideoJitterBuffer`` in virtual time. Everything follows from the seed.
///
/// Each frame's bytes hold its index and pseudo-random filler, so that the output is compared with the input, and a
/// model of references decides whether it could be decoded.
struct VideoSimulation {
  enum Pattern { case plain, threeLayers }

  var codec = Codec.vp8
  var pattern = Pattern.plain
  var seed: UInt64 = 1
  var framesPerSecond: Int64 = 30
  var duration = TimeSpan.seconds(12)
  var loss = 0.0
  var roundTrip = TimeSpan.milliseconds(50)
  var retransmits = true
  /// Added to a packet's way, 0 up to this, each packet by itself.
  var jitter = TimeSpan.zero
  /// Jitter only from this time on.
  var jitterFrom = Instant.zero
  var deltaSize = 1_500...6_000
  var keySize = 20_000
  var driftPartsPerMillion: Int64 = 0
  var startSequence: Int64 = 65_500
  var startTimestamp: UInt32 = 0xFFFF_0000
  /// Packets of padding after each frame with this chance.
  var padding = 0.0
  var configuration = VideoJitterConfiguration()
  /// Frames of which all packets are lost permanently.
  var lostFrames: Set<Int> = []
  /// Frames of which one packet is lost permanently.
  var brokenFrames: Set<Int> = []
  /// Frames of which one packet is late by the given time.
  var lateFrames: [Int: TimeSpan] = [:]
  /// At this frame the source changes: other timestamps, and other picture numbers; sequence numbers go on.
  var switchAt: Int?
  /// Whether the new source begins with a keyframe by itself.
  var switchBeginsWithKey = false
  /// No frames are taken in this range of indices.
  var pauseFrames: Range<Int> = 0..<0
  /// The network holds everything in this range of time.
  var stall: Range<Instant>?
  var answersKeyframeRequests = true

  struct Shown {
    var index: Int
    var time: Instant
    var given: Instant
    /// The delay against the time at which the frame was taken plus the way.
    var delay: TimeSpan
    var isKeyframe: Bool
  }

  struct Outcome {
    var shown: [Shown] = []
    var sent = 0
    var violations: [String] = []
    var requests: [Instant] = []
    var statistics = VideoJitterStatistics()
    var mostPackets = 0
    var mostBytes = 0
    var lastDelay = TimeSpan.zero
  }

  private struct Model {
    var data: [UInt8]
    var references: [Int]
    var isKeyframe: Bool
    var taken: Instant
  }

  private struct Arrival {
    var at: Instant
    var packet: ReceivedPacket
    var payload: [UInt8]
    var descriptor: [UInt8]?
  }

  func run() -> Outcome {
    var outcome = Outcome()
    var random = EmulatorRandom(seed: TestSeed.of(seed))
    var buffer = VideoJitterBuffer(configuration: configuration)
    buffer.roundTripTime = roundTrip
    var packetizer = TestPacketizer(codec: codec, layers: pattern == .threeLayers, random: &random)
    var models: [Int: Model] = [:]
    var decoded: Set<Int> = []
    var arrivals: [Arrival] = []
    var head = 0
    var sequence = startSequence
    var index = 0
    var keyframeDue: [Instant] = [.zero]
    var lastKey = 0
    var lastBase = 0
    var offset = startTimestamp
    let oneWay = TimeSpan(nanoseconds: roundTrip.nanoseconds / 2)
    let period = 1_000_000_000 / framesPerSecond
    let end = Instant.zero + duration

    func insert(_ arrival: Arrival) {
      var position = arrivals.count
      while position > head, arrivals[position - 1].at > arrival.at { position -= 1 }
      arrivals.insert(arrival, at: position)
    }

    while true {
      let frameTime = Instant(nanoseconds: Int64(index) * period)
      let nextFrame = frameTime < end ? frameTime : .distantFuture
      let nextArrival = head < arrivals.count ? arrivals[head].at : .distantFuture
      let now = min(nextFrame, nextArrival, buffer.deadline)
      if now == .distantFuture || now > end + .seconds(5) { break }

      if now == nextFrame {
        defer { index += 1 }
        if pauseFrames.contains(index) { continue }
        if index == switchAt {
          offset = UInt32(truncatingIfNeeded: random.next())
          packetizer.renumber(&random)
          if switchBeginsWithKey { keyframeDue.append(now) }
        }
        let isKey = keyframeDue.contains { $0 <= now }
        if isKey { keyframeDue.removeAll { $0 <= now } }
        // T0 T2 T1 T2, from each keyframe on.
        let phase = isKey ? 0 : (index - lastKey) % 4
        if isKey { lastKey = index }
        let layer = pattern == .plain ? 0 : [0, 2, 1, 2][phase]
        var references: [Int] = []
        if !isKey {
          references = pattern == .plain ? [lastBase] : [layer == 2 && phase == 3 ? index - 1 : lastBase]
          if pattern == .threeLayers, phase == 3, pauseFrames.contains(index - 1) { references = [lastBase] }
        }
        if layer == 0 { lastBase = index }
        let size = isKey ? keySize : Int.random(in: deltaSize, using: &random)
        let data = TestPacketizer.content(codec, index: index, isKeyframe: isKey, size: size)
        models[index] = Model(data: data, references: references, isKeyframe: isKey, taken: now)
        outcome.sent += 1
        // The sender's clock runs fast or slow.
        let media = now.nanoseconds + now.nanoseconds / 1_000_000 * driftPartsPerMillion
        let timestamp = RTPTimestamp(rawValue: offset &+ UInt32(truncatingIfNeeded: media / 1_000 * 90 / 1_000))
        let payloads = packetizer.packetize(
          data, isKeyframe: isKey, layer: UInt8(layer), isReference: layer < 2, isSync: phase == 1 || phase == 2)
        let broken = brokenFrames.contains(index) ? Int.random(in: 0..<payloads.count, using: &random) : -1
        for (position, payload) in payloads.enumerated() {
          let packet = ReceivedPacket(
            mid: MID(rawValue: "0"), ssrc: SSRC(rawValue: 1), codec: codec, sequence: sequence, timestamp: timestamp,
            marker: position == payloads.count - 1, arrival: now)
          sequence += 1
          if lostFrames.contains(index) || position == broken { continue }
          // The pacer spreads a frame over a third of its time.
          let paced = TimeSpan(nanoseconds: period / 3 * Int64(position) / Int64(max(payloads.count, 1)))
          var way = oneWay + paced
          if now >= jitterFrom { way = way + TimeSpan(nanoseconds: Int64(random.unit() * Double(jitter.nanoseconds))) }
          if position == payloads.count / 2, let late = lateFrames[index] { way = way + late }
          var isRetransmission = false
          var isLost = random.unit() < loss
          while isLost, retransmits, isRetransmission == false || way < .seconds(1) {
            // Found missing with the next packets, asked for, and sent again: or lost again.
            isRetransmission = true
            way = way + roundTrip + .milliseconds(10)
            isLost = random.unit() < loss
          }
          if isLost { continue }
          var at = now + way
          if let stall, stall.contains(at) { at = stall.upperBound }
          var received = packet
          received.arrival = at
          received.isRetransmission = isRetransmission
          insert(Arrival(at: at, packet: received, payload: payload.bytes, descriptor: payload.descriptor))
        }
        if random.unit() < padding {
          for _ in 0..<3 {
            let packet = ReceivedPacket(
              mid: MID(rawValue: "0"), ssrc: SSRC(rawValue: 1), codec: codec, sequence: sequence, timestamp: timestamp,
              arrival: now + oneWay + .milliseconds(12))
            sequence += 1
            insert(Arrival(at: packet.arrival, packet: packet, payload: [], descriptor: nil))
          }
        }
      } else if now == nextArrival {
        let arrival = arrivals[head]
        head += 1
        if head > 1_000 {
          arrivals.removeFirst(head)
          head = 0
        }
        buffer.take(arrival.packet, arrival.payload, arrival.descriptor, now: now)
        outcome.mostPackets = max(outcome.mostPackets, buffer.packetCount)
        outcome.mostBytes = max(outcome.mostBytes, buffer.byteCount)
      }
      while let frame = buffer.poll(now: now) {
        guard let shown = TestPacketizer.index(of: frame), let model = models[shown] else {
          outcome.violations.append("unknown frame at \(now.nanoseconds)")
          continue
        }
        if model.data != frame.data { outcome.violations.append("frame \(shown) differs") }
        if model.isKeyframe != frame.isKeyframe { outcome.violations.append("frame \(shown) is a key or not") }
        if model.isKeyframe { decoded.removeAll() }
        for reference in model.references where !decoded.contains(reference) {
          outcome.violations.append("frame \(shown) needs \(reference)")
        }
        if let last = outcome.shown.last, last.index >= shown || last.time > frame.time {
          outcome.violations.append("frame \(shown) is out of order")
        }
        decoded.insert(shown)
        outcome.shown.append(
          Shown(
            index: shown, time: frame.time, given: now, delay: frame.time - (model.taken + oneWay),
            isKeyframe: frame.isKeyframe))
      }
      if buffer.takeKeyframeRequest() {
        outcome.requests.append(now)
        if answersKeyframeRequests { keyframeDue.append(now + oneWay) }
      }
    }
    outcome.statistics = buffer.statistics
    outcome.lastDelay = buffer.currentDelay
    return outcome
  }
}

extension VideoJitterBuffer {
  /// ``insert(_:payload:dependencyDescriptor:now:)`` with arrays.
  mutating func take(_ packet: ReceivedPacket, _ payload: [UInt8], _ descriptor: [UInt8]?, now: Instant) {
    if let descriptor {
      insert(packet, payload: payload.span, dependencyDescriptor: descriptor.span, now: now)
    } else {
      insert(packet, payload: payload.span, dependencyDescriptor: nil, now: now)
    }
  }
}
