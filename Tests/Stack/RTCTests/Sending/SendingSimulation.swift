import Basics
import NetworkEmulator
import TestSeeds

@testable import RTC

/// Senders and receivers over one emulated bottleneck in virtual time, in steps of a millisecond. The encoders are
/// models: they make frames of the size that their share of the bandwidth allows.
final class SendingSimulation {
  /// One connection: a sender, a model of its encoders, and a receiver that reports as one would.
  final class Flow {
    var sender: MediaSender
    let srtp: SRTPSender
    var receiver: SimulatedReceiver
    var backward: NetworkEmulator
    var encoders: [SimulatedEncoder] = []
    var events: [MediaSenderEvent] = []
    var start = Instant.zero
    /// Bytes that arrived in each second, by second.
    var arrived: [Int] = []
    /// The target at the end of each tenth of a second.
    var targets: [Int64] = []
    var largestPacket = 0

    init(sender: MediaSender, srtp: SRTPSender, receiver: SimulatedReceiver, backward: NetworkEmulator) {
      self.sender = sender
      self.srtp = srtp
      self.receiver = receiver
      self.backward = backward
    }

    func encoder(_ mid: MID, _ rid: RID? = nil) -> SimulatedEncoder? {
      encoders.first { $0.mid == mid && $0.rid == rid }
    }

    /// The mean rate that arrived between two times, in kb/s.
    func rate(_ range: Range<Int>) -> Int {
      let bytes = range.reduce(0) { $0 + (arrived.indices.contains($1) ? arrived[$1] : 0) }
      return bytes * 8 / 1_000 / max(range.count, 1)
    }

    /// The target `seconds` after the start of time, in kb/s.
    func target(at seconds: Double) -> Int {
      let index = Int(seconds * 10)
      return targets.indices.contains(index) ? Int(targets[index] / 1_000) : 0
    }
  }

  var now = Instant.zero
  var forward: EmulatedLink<AddressedPacket<Int>>
  var flows: [Flow] = []
  let clock = NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000))
  private let back: LinkConditions
  private let seed: UInt64

  init(_ conditions: LinkConditions, back: LinkConditions? = nil, seed: UInt64 = 1) {
    let seed = TestSeed.of(seed)
    forward = EmulatedLink(conditions, seed: seed)
    self.back = back ?? LinkConditions(delay: conditions.delay)
    self.seed = seed
  }

  /// Adds a connection that sends `media` from `start` on.
  @discardableResult
  func add(
    _ media: [NegotiatedMedia], configuration: MediaSenderConfiguration = .init(), start: Instant = .zero,
    feedback: Bool = true
  ) throws -> Flow {
    let number = UInt64(flows.count)
    var sender = MediaSender(configuration: configuration, random: SeededRandom(seed: seed &+ 100 &+ number))
    sender.update(media: media, cname: "flow")
    let flow = Flow(
      sender: sender, srtp: try SRTPSender(.insecureNullForSimulation()),
      receiver: SimulatedReceiver(media: media, reports: feedback),
      backward: NetworkEmulator(back, seed: seed &+ 200 &+ number))
    flow.start = start
    for section in media {
      let rids: [RID?] = section.rids.isEmpty ? [nil] : section.rids
      for rid in rids {
        flow.encoders.append(
          SimulatedEncoder(mid: section.mid, rid: rid, kind: section.kind, seed: seed &+ 300 &+ number))
      }
    }
    flows.append(flow)
    return flow
  }

  /// Lets `span` pass.
  func run(_ span: TimeSpan) {
    let end = now + span
    while now < end {
      step()
      now = now + .milliseconds(1)
    }
  }

  private func step() {
    for (index, flow) in flows.enumerated() where flow.start <= now {
      while let packet = flow.backward.deliver(now: now) { flow.receive(packet, now: now) }
      flow.takeEvents()
      for encoder in flow.encoders {
        if let frame = encoder.next(now: now) { flow.sender.send(frame, mid: encoder.mid, rid: encoder.rid, now: now) }
      }
      if flow.sender.deadline <= now { flow.sender.handleTimeout(now: now) }
      flow.takeEvents()
      flow.sender.transmit(now: now, to: flow.srtp) { packet in
        var bytes: [UInt8] = []
        bytes.reserveCapacity(packet.count)
        for position in packet.indices { bytes.append(packet[position]) }
        flow.largestPacket = max(flow.largestPacket, bytes.count)
        forward.send(bytes, to: index, now: now)
      }
      flow.sendReports(now: now, clock: clock)
      if now.nanoseconds % 100_000_000 == 0 {
        while flow.targets.count < Int(now.nanoseconds / 100_000_000) { flow.targets.append(0) }
        flow.targets.append(flow.sender.targetBitrate.bitsPerSecond)
      }
    }
    while let packet = forward.deliver(now: now) {
      let flow = flows[packet.destination]
      let second = Int(now.nanoseconds / 1_000_000_000)
      while flow.arrived.count <= second { flow.arrived.append(0) }
      flow.arrived[second] += packet.bytes.count
      flow.receiver.receive(packet.bytes, now: now)
    }
    for flow in flows {
      for report in flow.receiver.reports(now: now) { flow.backward.send(report, now: now) }
    }
  }
}

extension SendingSimulation.Flow {
  func receive(_ packet: [UInt8], now: Instant) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: packet.span) { sender.receive(message, in: packet.span, now: now) }
  }

  func takeEvents() {
    while let event = sender.pollEvent() {
      events.append(event)
      switch event {
      case .keyframeRequested(let mid, let rid): encoder(mid, rid)?.wantsKeyframe = true
      case .allocationChanged(let allocations):
        for allocation in allocations { encoder(allocation.mid, allocation.rid)?.take(allocation) }
      case .targetChanged: break
      }
    }
  }

  func sendReports(now: Instant, clock: NTPClock) {
    var buffer = [UInt8](repeating: 0, count: 1_200)
    for _ in 0..<20 {
      var span = buffer.mutableSpan
      guard let length = sender.makeReports(now: now, clock: clock, into: &span) else { return }
      receiver.receiveReport(Array(buffer[..<length]), now: now)
    }
  }
}

/// Makes frames of the size that its bit rate allows, keyframes five times as large.
final class SimulatedEncoder {
  let mid: MID
  let rid: RID?
  let kind: MediaKind
  var bitrate: Int64 = 0
  var allocation: StreamAllocation?
  var wantsKeyframe = true
  /// Below 1: the application sends less than it may.
  var effort = 1.0
  var isStopped = false
  private(set) var frames = 0
  private(set) var keyframes = 0
  private var random: SeededRandom
  private var nextFrame = Instant.zero
  private var debt = 0

  init(mid: MID, rid: RID?, kind: MediaKind, seed: UInt64) {
    self.mid = mid
    self.rid = rid
    self.kind = kind
    random = SeededRandom(seed: seed)
  }

  func take(_ allocation: StreamAllocation) {
    self.allocation = allocation
    bitrate = allocation.bitrate.bitsPerSecond
  }

  func next(now: Instant) -> EncodedFrame? {
    guard now >= nextFrame, !isStopped else { return nil }
    if nextFrame == .zero { nextFrame = now }
    let interval = kind == .audio ? TimeSpan.milliseconds(20) : TimeSpan.microseconds(33_333)
    nextFrame = max(nextFrame + interval, now)
    guard bitrate > 0 else { return nil }
    frames += 1
    let mean = Double(bitrate) * effort * interval.seconds / 8
    var size = Int(mean * (0.8 + 0.4 * Double(random.below(1_000)) / 1_000))
    var isKeyframe = kind == .audio
    if kind == .video {
      if wantsKeyframe {
        wantsKeyframe = false
        isKeyframe = true
        keyframes += 1
        // An encoder pays a keyframe back over the next frames.
        debt += size * 4
        size *= 5
      } else if debt > 0 {
        let back = min(size / 2, debt)
        size -= back
        debt -= back
      }
    }
    let rate: UInt32 = kind == .audio ? 48_000 : 90_000
    return EncodedFrame(
      codec: kind == .audio ? .opus : .vp8, data: [UInt8](repeating: 0x5A, count: max(size, 20)),
      timestamp: RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: now.nanoseconds / 1_000 * Int64(rate) / 1_000_000)),
      isKeyframe: isKeyframe, audioLevel: kind == .audio ? 30 : nil, time: now)
  }
}
