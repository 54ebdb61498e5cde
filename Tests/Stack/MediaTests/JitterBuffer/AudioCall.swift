import Basics
import Media
import TestSeeds

@testable import RTC

extension SeededGenerator {
  /// 0 to below 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// Stands in for Opus: packets of 20 ms that hold their media time; their sound is a tone that depends on media time
/// alone.
final class ToneDecoder: AudioDecoder {
  let channels: Int
  let frequency: Double
  /// Without sound, for long runs.
  let isMute: Bool
  private(set) var decoded: [Int64] = []
  private var heard: Int64 = 0

  init(frequency: Double = 440, channels: Int = 1, isMute: Bool = false) {
    self.frequency = frequency
    self.channels = channels
    self.isMute = isMute
  }

  /// A packet of media time `timestamp`; with a copy of the packet before it, it is of a kind that may have one.
  static func packet(_ timestamp: Int64, hasCopy: Bool = false) -> [UInt8] {
    var packet: [UInt8] = hasCopy ? [0x78, 0x40] : [0xF8, 0]
    for index in 0..<8 { packet.append(UInt8(truncatingIfNeeded: timestamp >> Int64(56 - 8 * index))) }
    return packet
  }

  static func timestamp(_ packet: [UInt8]) -> Int64 {
    var timestamp: Int64 = 0
    for byte in packet.dropFirst(2).prefix(8) { timestamp = timestamp << 8 | Int64(byte) }
    return timestamp
  }

  func decode(_ packet: [UInt8], time: Instant) throws(MediaError) -> AudioFrame {
    guard packet.count >= 10 else { return tone(heard, 960, time) }
    let timestamp = Self.timestamp(packet)
    decoded.append(timestamp)
    return tone(timestamp, 960, time)
  }

  func decodeFEC(of next: [UInt8], samples: Int?, time: Instant) throws(MediaError) -> AudioFrame {
    let count = samples ?? 960
    return tone(Self.timestamp(next) - Int64(count), count, time)
  }

  func conceal(samples: Int?, time: Instant) throws(MediaError) -> AudioFrame { tone(heard, samples ?? 960, time) }

  func carriesCopy(_ packet: [UInt8]) -> Bool { packet.count > 1 && packet[1] == 0x40 }

  func reset() {}

  private func tone(_ start: Int64, _ count: Int, _ time: Instant) -> AudioFrame {
    heard = start + Int64(count)
    guard !isMute else {
      return AudioFrame(samples: [Int16](repeating: 0, count: count * channels), channels: channels, time: time)
    }
    return AudioFrame(
      samples: (0..<(count * channels)).map { (index: Int) -> Int16 in
        Tone.sample(start + Int64(index / channels), frequency)
      }, channels: channels, time: time)
  }
}

enum Tone {
  static let amplitude = 10_000.0

  static func sample(_ index: Int64, _ frequency: Double) -> Int16 {
    // A second is a whole number of periods, which keeps the argument small.
    let phase = Double(index % 48_000) * frequency / 48_000
    return Int16((amplitude * sine(2 * .pi * (phase - phase.rounded(.down)))).rounded())
  }

  /// Enough for tests, and without a library: the series around the nearest quarter.
  static func sine(_ x: Double) -> Double {
    var y = x
    if y > .pi { y -= 2 * .pi }
    if y > .pi / 2 { y = .pi - y }
    if y < -.pi / 2 { y = -.pi - y }
    let z = y * y
    // Horner's scheme, from the inside out.
    var sum = 1.0
    for divisor in [110.0, 72, 42, 20, 6] { sum = 1 - z / divisor * sum }
    return y * sum
  }

  /// The frequency by upward crossings of zero, each placed between its two samples.
  static func frequency(_ samples: [Int16]) -> Double {
    var first: Double?
    var last = 0.0
    var count = 0
    for index in 1..<samples.count where samples[index - 1] < 0 && samples[index] >= 0 {
      let before = Double(samples[index - 1])
      let place = Double(index) - Double(samples[index]) / (Double(samples[index]) - before)
      if first == nil { first = place } else { count += 1 }
      last = place
    }
    guard let first, count > 0 else { return 0 }
    return Double(count) * 48_000 / (last - first)
  }

  /// The largest step from one sample to the next.
  static func largestStep(_ samples: [Int16]) -> Int {
    var largest = 0
    for index in samples.indices.dropFirst() {
      largest = max(largest, abs(Int(samples[index]) - Int(samples[index - 1])))
    }
    return largest
  }
}

/// A sender of sound, a network and the receiving half down to the playout, in virtual time.
struct AudioCall {
  struct Options {
    var seed: UInt64 = 1
    var seconds = 60
    /// The share of packets lost on the way to the receiver.
    var loss = 0.0
    /// Losses in a row on average.
    var burst = 1.0
    /// The network's least delay.
    var delay = TimeSpan.milliseconds(20)
    /// Up to so much more, most packets less.
    var jitter = TimeSpan.zero
    /// Packets carry a copy of the one before (in-band forward error correction).
    var fec = false
    /// Packets carry so many before them (RFC 2198).
    var redundancy = 0
    /// Lost packets are sent again when they are asked for.
    var nack = false
    /// How much faster the sender's clock is, in millionths.
    var drift = 0.0
    var isMute = true
    /// Whether the sender says something in a 20 ms step; where it does not it sends nothing.
    var speaks: (Int) -> Bool = { _ in true }
    /// Extra delay of the packet of a 20 ms step.
    var extraDelay: (Int) -> TimeSpan = { _ in .zero }
  }

  private struct Flight {
    var time: Instant
    var order: Int
    var bytes: [UInt8]
  }

  let options: Options
  let decoder: ToneDecoder
  let playout: AudioPlayout
  var receiver: MediaReceiver
  private var random: SeededGenerator
  private var flights: [Flight] = []
  private var order = 0
  private var sent: [Int: [UInt8]] = [:]
  private var isBad = false
  private var sequence = 0
  /// Everything that was heard.
  var heard: [Int16] = []
  /// The largest and the newest delay.
  var largestDelay = TimeSpan.zero
  var delays: [TimeSpan] = []
  var lostOnTheWay = 0

  init(_ options: Options, configuration: AudioJitterBufferConfiguration = .init()) {
    self.options = options
    random = SeededGenerator(seed: TestSeed.of(options.seed))
    decoder = ToneDecoder(isMute: options.isMute)
    playout = AudioPlayout(decoder: decoder, configuration: configuration)
    receiver = MediaReceiver()
    let codecs = [
      NegotiatedCodec(payloadType: PayloadType(rawValue: 111), codec: .opus, feedback: options.nack ? .nack : []),
      NegotiatedCodec(payloadType: PayloadType(rawValue: 63), codec: .red),
    ]
    receiver.update(media: [
      NegotiatedMedia(
        mid: MID(rawValue: "0"), index: 0, kind: .audio, role: .receive, codecs: codecs, extensions: .init(),
        remoteSources: [NegotiatedSource(ssrc: SSRC(rawValue: 9))], remoteStreamIDs: [], rids: [], localSource: nil,
        localStreamID: nil, usesReducedSizeRTCP: true)
    ])
    receiver.roundTripTime = options.delay + options.delay
  }

  /// The whole call. `each` is called after every tick with its number.
  mutating func run(_ each: (inout AudioCall, Int) -> Void = { _, _ in }) {
    var step = 0
    var history: [[UInt8]] = []
    let stepTime = 20_000_000.0 * (1 - options.drift / 1_000_000)
    for tick in 0..<(options.seconds * 100) {
      let now = Instant(nanoseconds: Int64(tick) * 10_000_000 + 3_000_000)
      // The sender's packets up to now, and the arrivals.
      while Int64(Double(step) * stepTime) <= now.nanoseconds {
        let time = Instant(nanoseconds: Int64(Double(step) * stepTime))
        if options.speaks(step) {
          let payload = ToneDecoder.packet(Int64(step) * 960, hasCopy: options.fec)
          let bytes = packet(step, payload, history)
          history.append(payload)
          if history.count > 8 { history.removeFirst() }
          sent[sequence] = bytes
          sent[sequence - 500] = nil
          send(bytes, at: time + options.extraDelay(step))
          sequence += 1
        }
        step += 1
      }
      arrive(until: now)
      let frame = playout.next(now: now)
      if !options.isMute { heard += frame.samples }
      largestDelay = max(largestDelay, playout.currentDelay)
      delays.append(playout.currentDelay)
      each(&self, tick)
    }
  }

  /// Milliseconds of made-up sound a minute.
  var gaps: Double {
    Double(playout.statistics.concealedSamples) / 48 / (Double(options.seconds) / 60)
  }

  private func packet(_ step: Int, _ payload: [UInt8], _ history: [[UInt8]]) -> [UInt8] {
    let older = history.suffix(options.redundancy)
    var body: [UInt8] = []
    for (index, block) in older.enumerated() {
      let back = UInt32((older.count - index) * 960)
      let fields: UInt32 = back << 10 | UInt32(block.count)
      body += [0x80 | 111, UInt8(fields >> 16 & 255), UInt8(fields >> 8 & 255), UInt8(fields & 255)]
    }
    if options.redundancy > 0 { body.append(111) }
    for block in older { body += block }
    body += payload
    let timestamp = UInt32(truncatingIfNeeded: step * 960)
    var bytes: [UInt8] = [0x80, options.redundancy > 0 ? 63 : 111]
    bytes += [UInt8(sequence >> 8 & 255), UInt8(sequence & 255)]
    bytes += [24, 16, 8, 0].map { (shift: UInt32) -> UInt8 in UInt8(truncatingIfNeeded: timestamp >> shift) }
    return bytes + [0, 0, 0, 9] + body
  }

  private mutating func send(_ bytes: [UInt8], at time: Instant) {
    let leave = 1 / options.burst
    if isBad {
      if random.unit() < leave { isBad = false }
    } else if random.unit() < options.loss * leave / (1 - options.loss) {
      isBad = true
    }
    if options.burst == 1 { isBad = random.unit() < options.loss }
    guard !isBad else {
      lostOnTheWay += 1
      return
    }
    // Most packets are quick, a few slow: the cube of an even spread.
    let spread = random.unit()
    let extra = Int64(Double(options.jitter.nanoseconds) * spread * spread * spread)
    let arrival = time + options.delay + TimeSpan(nanoseconds: extra)
    order += 1
    flights.append(Flight(time: arrival, order: order, bytes: bytes))
  }

  private mutating func arrive(until now: Instant) {
    while true {
      let next = flights.min { ($0.time, $0.order) < ($1.time, $1.order) }
      let due = options.nack ? receiver.deadline : .distantFuture
      if let next, next.time <= now, next.time <= due {
        flights.removeAll { $0.order == next.order }
        take(next)
      } else if due <= now {
        answer(at: due)
      } else {
        return
      }
    }
  }

  private mutating func take(_ flight: Flight) {
    guard let header = try? RTPHeader.parse(flight.bytes.span) else { return }
    var bytes = flight.bytes
    var span = bytes.mutableSpan
    let playout = playout
    receiver.receive(header, &span, now: flight.time) { packet, payload, _ in
      playout.insert(packet, payload: payload, now: flight.time)
    }
  }

  /// Sends again what the receiver asks for; requests are lost like packets.
  private mutating func answer(at now: Instant) {
    var buffer = [UInt8](repeating: 0, count: 1_000)
    for _ in 0..<10 {
      var span = buffer.mutableSpan
      guard let length = receiver.makeFeedback(now: now, sender: SSRC(rawValue: 1), into: &span) else { return }
      let datagram = Array(buffer[0..<length])
      var reader = RTCPReader()
      guard random.unit() >= options.loss else { continue }
      while let message = try? reader.next(in: datagram.span) {
        guard case .nack(let nack) = message else { continue }
        var numbers = nack.sequenceNumbers
        while let number = numbers.next(in: datagram.span) {
          let found = sent.keys.first { UInt16(truncatingIfNeeded: $0) == number.rawValue }
          if let found, let bytes = sent[found] { send(bytes, at: now + options.delay) }
        }
      }
    }
  }
}
