import Basics
import RTC
import SFU

/// One direction of a relay between two workers, over a ring of one machine or a network between two.
final class SimulatedWire {
  let from: SimulatedWorker
  let to: SimulatedWorker
  let output: RelayOutput
  let delay: TimeSpan
  let channel: UInt32
  var relay: Relay?
  /// Records and their bytes since the last reset, with what a datagram around each would add.
  var records = 0
  var bytes = 0
  private var underWay: [(at: Instant, bytes: [UInt8])] = []
  private var read = 0

  init(from: SimulatedWorker, to: SimulatedWorker, channel: UInt32, delay: TimeSpan, ring: Int) {
    self.from = from
    self.to = to
    self.channel = channel
    self.delay = delay
    output = RelayOutput(ring: RelayRing(capacity: ring))
  }

  /// Takes what was written: over a ring it is there at once, over a network later.
  func pump(_ now: Instant) -> Bool {
    var any = false
    output.flush()
    while output.ring.read({ record in
      records += 1
      bytes += record.count + SimulatedWorker.overhead
      if delay == .zero {
        if let relay, !to.isLost { to.receive(record, from: relay, now) }
      } else {
        var copy: [UInt8] = []
        copy.reserveCapacity(record.count)
        for index in 0..<record.count { copy.append(record[index]) }
        underWay.append((now + delay, copy))
      }
    }) {
      any = true
    }
    while read < underWay.count, underWay[read].at <= now {
      let record = underWay[read].bytes
      if let relay, !to.isLost { to.receive(record.span, from: relay, now) }
      read += 1
      any = true
    }
    if read == underWay.count {
      underWay.removeAll(keepingCapacity: true)
      read = 0
    }
    return any
  }
}

/// All machines, workers and participants of one meeting, in steps of one millisecond of virtual time.
final class SimulatedCluster {
  let settings: SimulationSettings
  let workers: [SimulatedWorker]
  private(set) var wires: [SimulatedWire] = []
  private(set) var participants: [SimulatedParticipant] = []
  private(set) var now = Instant.milliseconds(1_000)
  var random: SeededGenerator
  private var sources: [SimulatedSource] = []
  private var planned: [(at: Instant, action: () throws -> Void)] = []
  /// One way between two machines.
  static let networkDelay = TimeSpan.milliseconds(5)

  init(_ settings: SimulationSettings) {
    self.settings = settings
    random = SeededGenerator(state: settings.seed)
    let clock = NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000))
    workers = (0..<settings.routers).map {
      SimulatedWorker(
        index: $0, machine: $0 / settings.workers,
        router: Router(clock: clock, seed: settings.seed &+ UInt64($0), audioLoudest: settings.audioLoudest),
        settings: settings)
    }
    connect()
  }

  private func connect() {
    var channel: UInt32 = 1
    for a in workers {
      for b in workers where b.index > a.index {
        let isNear = a.machine == b.machine
        let isGateway = a.index % settings.workers == 0 && b.index % settings.workers == 0
        guard isNear || settings.topology == .mesh || isGateway else { continue }
        // In a mesh nothing is passed on, so every relay is of one kind.
        let reach: Relay.Reach = isNear || settings.topology == .mesh ? .machine : .network
        let delay = isNear ? TimeSpan.zero : Self.networkDelay
        let there = SimulatedWire(from: a, to: b, channel: channel, delay: delay, ring: 1 << 17)
        let back = SimulatedWire(from: b, to: a, channel: channel, delay: delay, ring: 1 << 17)
        there.relay = b.router.addRelay(channel: channel, reach: reach, output: back.output)
        back.relay = a.router.addRelay(channel: channel, reach: reach, output: there.output)
        channel += 1
        wires += [there, back]
      }
    }
  }

  // MARK: Participants

  /// Makes the participants; the first ones have cameras, the next ones microphones, spread over all workers.
  func makeParticipants() {
    for number in 0..<settings.participants {
      let participant = SimulatedParticipant(number: number, worker: workers[number % workers.count])
      if number < settings.videos { addSource("v\(number)", .video, participant) }
      if number < settings.microphones { addSource("m\(number)", .audio, participant) }
      participants.append(participant)
    }
  }

  private func addSource(_ publication: String, _ kind: MediaKind, _ participant: SimulatedParticipant) {
    let mid = "\(participant.sources.count)"
    let source = SimulatedSource(
      publication, mid: mid, SimulatedSections.track(mid, kind), of: participant,
      ssrc: UInt32(100_000 + participant.number * 10 + participant.sources.count),
      first: now + .milliseconds(Int64.random(in: 0..<40, using: &random)))
    participant.sources.append(source)
    sources.append(source)
  }

  /// Puts a participant on the worker with the fewest.
  func join(_ participant: SimulatedParticipant) throws {
    let target = workers.filter { !$0.isLost }.min { $0.load < $1.load }
    guard let target else { return }
    participant.joinedAt = now
    try target.add(
      participant, videos: settings.videos, audioSlots: settings.audioLoudest, now: now)
  }

  func plan(_ at: Instant, _ action: @escaping () throws -> Void) { planned.append((at, action)) }

  /// The worker stops; others find out after `noticed` and end their relays to it.
  func lose(_ worker: SimulatedWorker, noticed: TimeSpan) -> [SimulatedParticipant] {
    let orphans = worker.lose()
    plan(now + noticed) { [self] in
      for wire in wires where wire.from === worker {
        if let relay = wire.relay { wire.to.router.removeRelay(relay) }
        wire.relay = nil
      }
    }
    return orphans
  }

  // MARK: Time

  func run(for span: TimeSpan) throws {
    planned.sort { $0.at < $1.at }
    let end = now + span
    var next = 0
    while now < end {
      now = now + .milliseconds(1)
      while next < planned.count, planned[next].at <= now {
        try planned[next].action()
        next += 1
      }
      for source in sources { source.send(now) }
      pump()
      for worker in workers where !worker.isLost { worker.tick(now) }
      // Packets that the timers caused.
      pump()
    }
    planned.removeFirst(next)
  }

  private func pump() {
    var rounds = 0
    var any = true
    while any, rounds < 6 {
      any = false
      rounds += 1
      for wire in wires where wire.pump(now) { any = true }
    }
  }

  /// Lets seeded people talk for `span`: spurts of one to six seconds.
  func planTalk(for span: TimeSpan) {
    let microphones = sources.filter { $0.kind == .audio }
    guard !microphones.isEmpty, settings.talkers > 0 else { return }
    for line in 0..<settings.talkers {
      var at = now + .milliseconds(Int64(line) * 400)
      while at < now + span {
        guard let source = microphones.randomElement(using: &random) else { return }
        let length = TimeSpan.milliseconds(Int64.random(in: 1_000...6_000, using: &random))
        let level = UInt8.random(in: 22...38, using: &random)
        plan(at) { [self] in
          guard source.talkingSince == nil else { return }
          source.talkingSince = now
          source.level = level
          for worker in workers { worker.talkBegan(source.publication, now) }
        }
        plan(at + length) { [self] in
          source.talkingSince = nil
          source.level = 127
          for worker in workers { worker.talkEnded(source.publication) }
        }
        at = at + length + .milliseconds(Int64.random(in: 200...800, using: &random))
      }
    }
  }

  var keyframes: (sent: Int, requests: Int) {
    let videos = sources.filter { $0.kind == .video }
    return (videos.map(\.keyframes).reduce(0, +), videos.map(\.keyframeRequests).reduce(0, +))
  }

  func reset() {
    for worker in workers {
      worker.counts = .init()
      worker.onsets.removeAll()
    }
    for wire in wires {
      wire.records = 0
      wire.bytes = 0
    }
  }
}
