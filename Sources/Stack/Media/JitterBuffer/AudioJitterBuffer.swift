public import Basics
public import RTC

/// Orders the packets of one audio stream and schedules their playout (an adaptive playout buffer for RFC 7587
/// streams). Pure: the time comes in, in tests as in production.
///
///     buffer.insert(packet, payload: bytes, now: now)
///     switch buffer.next(now: now, ahead: decodedSamplesNotPlayedYet) { … }
///
/// Audio is delayed against its fastest packets so that most packets are in time. The delay adapts to jitter by time
/// stretching, and without it while the sender is silent. Packets that come too late are counted and dropped.
///
/// Bounded: ``AudioJitterBufferConfiguration/maximumPackets``. Payload buffers are used again when ``recycle(_:)`` gets
/// them back, so a packet allocates nothing in steady state.
public struct AudioJitterBuffer: Sendable {
  /// Media time has this rate: that of Opus (RFC 7587 section 4.1).
  static let clockRate: Int64 = 48_000
  /// Steps without a packet are this long: 10 ms.
  static let tick = AudioFrame.samplesPer10Milliseconds
  /// After this long without packets the fastest one of before counts no more.
  private static let longPause = TimeSpan.seconds(1)
  /// Media time that differs from real time by more has jumped.
  private static let largestJump = TimeSpan.seconds(3)
  /// A sequence that jumps by more has started again.
  static let largestSequenceJump: Int64 = 1_000
  private static let maximumSpare = 16
  private static let mostFarBehind = 10
  /// Packets kept while nobody plays: playout starts with them.
  private static let maximumUnplayed = 10

  struct Entry: Sendable {
    var sequence: Int64
    /// Extended media time, in samples.
    var timestamp: Int64
    /// Samples a channel; 0 for a packet without audio.
    var duration: Int64
    var isDiscontinuous: Bool
    var arrival: Instant
    var payload: [UInt8]
  }

  public let configuration: AudioJitterBufferConfiguration
  /// The delay that other streams of the participant need for lip sync. Audio is delayed by at least as much.
  public var minimumDelay = TimeSpan.zero
  /// Whether somebody plays what comes. If not, only the newest packets are kept, so that a packet costs little.
  public var isPlayed = true
  /// Counted here; ``AudioPlayout`` adds its measurements.
  public internal(set) var statistics = AudioPlayoutStatistics()
  /// The delay of the newest decoded audio against a packet without queueing; zero before the first.
  public internal(set) var currentDelay = TimeSpan.zero

  var estimator: AudioDelayEstimator
  /// In order of sequence.
  var packets: [Entry] = []
  private var spare: [[UInt8]] = []

  private var ssrc: SSRC?
  private var newest: Entry?
  private var newestTimestamp: Int64 = 0
  /// Packets in a row whose numbers lie far behind the newest.
  private var farBehind = 0

  /// Media time of the next sample to be decoded; nil before the first packet is due.
  var position: Int64?
  /// The packet decoded last.
  var lastSequence: Int64 = 0
  var lastDuration: Int64 = 960
  var lastWasDiscontinuous = false
  /// Samples made up since the last decoded packet; those of them that took the place of lost packets; those that did
  /// not.
  var concealed: Int64 = 0
  var bridged: Int64 = 0
  var waited: Int64 = 0
  /// Samples of silence since concealment ended.
  var stalled: Int64 = 0
  /// Samples of the sender's silence since its last packet.
  var quiet: Int64 = 0
  /// Whether concealed audio was counted since the last decoded packet.
  var isConcealing = false
  var decodedSinceStretch = 0

  public init(configuration: AudioJitterBufferConfiguration = AudioJitterBufferConfiguration()) {
    self.configuration = configuration
    estimator = AudioDelayEstimator(configuration: configuration)
    packets.reserveCapacity(32)
  }

  /// The delay that jitter asks for.
  public var networkDelay: TimeSpan { estimator.target }
  /// The delay that is aimed at.
  public var targetDelay: TimeSpan { max(networkDelay, minimumDelay) }
  /// How many packets wait.
  public var bufferedPackets: Int { packets.count }
  /// The media time of the next sample to be decoded; nil before the first.
  public var nextTimestamp: RTPTimestamp? { position.map { RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: $0)) } }

  /// Starts again: the next packet belongs to another source. The network's statistics stay.
  public mutating func reset() {
    for index in packets.indices { releasePayload(at: index) }
    packets.removeAll(keepingCapacity: true)
    newest = nil
    farBehind = 0
    position = nil
    ssrc = nil
    lastWasDiscontinuous = false
    clearConcealment()
    estimator.restart()
  }

  // MARK: Packets

  /// Takes a packet. An empty payload says that its number is not lost; codecs other than Opus do the same.
  public mutating func insert(_ packet: ReceivedPacket, payload: Span<UInt8>, now: Instant) {
    if let ssrc, ssrc != packet.ssrc { reset() }
    ssrc = packet.ssrc
    guard payload.count <= configuration.maximumPayload else {
      statistics.packetsDiscarded &+= 1
      return
    }
    var duration: Int64 = 0
    if packet.codec == .opus, !payload.isEmpty {
      guard let opus = try? OpusPacket.parse(payload) else {
        statistics.packetsDiscarded &+= 1
        return
      }
      duration = opus.duration.nanoseconds * 3 / 62_500
    }
    let timestamp = extend(packet.timestamp, sequence: packet.sequence, now: now)
    guard place(packet, timestamp, duration, now) else { return }
    let offset = packet.arrival.nanoseconds &- Self.span(timestamp).nanoseconds
    if duration > 0 { estimator.receive(offset: offset, at: packet.arrival, isRepair: packet.isRetransmission) }
    if let position, duration > 0, timestamp + duration <= position {
      statistics.packetsDiscarded &+= 1
      noteNewest(packet, timestamp)
      return
    }
    store(packet, timestamp, duration, payload, now)
    if duration > 0 { measureCopy(packet, offset, duration) }
    noteNewest(packet, timestamp)
  }

  /// Gives back the bytes of a step after they were decoded, for the next packets.
  public mutating func recycle(_ payload: [UInt8]) {
    if spare.count < Self.maximumSpare { spare.append(payload) }
  }

  /// Media time that does not wrap.
  private func extend(_ timestamp: RTPTimestamp, sequence: Int64, now: Instant) -> Int64 {
    guard newest != nil else { return Int64(timestamp.rawValue) + 0x1_0000_0000 }
    let low = UInt32(truncatingIfNeeded: newestTimestamp)
    return newestTimestamp &+ Int64(Int32(bitPattern: timestamp.rawValue &- low))
  }

  /// Whether a packet belongs to the stream being played; a jump in number or media time starts it again.
  private mutating func place(_ packet: ReceivedPacket, _ timestamp: Int64, _ duration: Int64, _ now: Instant) -> Bool {
    guard let newest else { return true }
    let ahead = packet.sequence &- newest.sequence
    if ahead <= 0 {
      if ahead > -Self.largestSequenceJump {
        farBehind = 0
        return true
      }
      // One stray number must not make everything after it look old.
      farBehind += 1
      guard farBehind > Self.mostFarBehind else {
        statistics.packetsDiscarded &+= 1
        return false
      }
      reset()
      ssrc = packet.ssrc
      return true
    }
    farBehind = 0
    guard duration > 0 else { return true }
    let pause = now - newest.arrival
    let drift = Self.span(timestamp &- newest.timestamp) - pause
    if ahead > Self.largestSequenceJump || drift > Self.largestJump || drift < TimeSpan.zero - Self.largestJump {
      reset()
      ssrc = packet.ssrc
    } else if pause > Self.longPause {
      estimator.restart()
    }
    return true
  }

  /// Adds to the estimate when the packet before the newest one could be had out of the newest one's copy, when it is
  /// lost.
  private mutating func measureCopy(_ packet: ReceivedPacket, _ offset: Int64, _ duration: Int64) {
    guard let newest, packet.sequence > newest.sequence &+ 1, let last = packets.last, last.sequence == packet.sequence,
      OpusDecoder.carriesFEC(last.payload)
    else { return }
    estimator.receive(offset: offset &+ Self.span(duration).nanoseconds, at: packet.arrival, isRepair: true)
  }

  private mutating func noteNewest(_ packet: ReceivedPacket, _ timestamp: Int64) {
    if let newest, packet.sequence <= newest.sequence { return }
    newest = Entry(
      sequence: packet.sequence, timestamp: timestamp, duration: 0, isDiscontinuous: false, arrival: packet.arrival,
      payload: [])
    newestTimestamp = timestamp
  }

  private mutating func store(
    _ packet: ReceivedPacket, _ timestamp: Int64, _ duration: Int64, _ payload: Span<UInt8>, _ now: Instant
  ) {
    guard position == nil || packet.sequence > lastSequence else {
      statistics.packetsDiscarded &+= 1
      return
    }
    var index = packets.count
    while index > 0, packets[index - 1].sequence > packet.sequence { index -= 1 }
    if index > 0, packets[index - 1].sequence == packet.sequence { return }
    var bytes = spare.popLast() ?? []
    bytes.removeAll(keepingCapacity: true)
    if duration > 0 { bytes.append(copying: payload) }
    packets.insert(
      Entry(
        sequence: packet.sequence, timestamp: timestamp, duration: duration,
        isDiscontinuous: OpusPacket.isDiscontinuous(payloadLength: payload.count), arrival: now, payload: bytes),
      at: index)
    let room = max(configuration.maximumPackets, 1)
    let most = isPlayed ? room : min(room, Self.maximumUnplayed)
    while packets.count > most {
      releasePayload(at: 0)
      packets.removeFirst()
      statistics.packetsDiscarded &+= 1
    }
  }

  /// Keeps the bytes of a packet that goes, for the next ones.
  mutating func releasePayload(at index: Int) {
    if spare.count < Self.maximumSpare { spare.append(packets[index].payload) }
    packets[index].payload = []
  }

  mutating func clearConcealment() {
    concealed = 0
    bridged = 0
    waited = 0
    stalled = 0
    quiet = 0
    isConcealing = false
  }

  /// The length of so many samples.
  static func span(_ samples: Int64) -> TimeSpan { TimeSpan(nanoseconds: samples &* 62_500 / 3) }
  /// The samples in a length of time, rounded down.
  static func samples(_ span: TimeSpan) -> Int64 { span.nanoseconds &* 3 / 62_500 }
}
