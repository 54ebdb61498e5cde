import Basics
import RTC
import Transport

/// Everything a media worker does, on its loop's thread: sockets in, demultiplexing, routing, sockets out, timers.
///
/// ``MediaWorker`` is the actor around it, for signalling; the packet path never leaves this class. One tick: datagrams
/// are received, decrypted and noted; then every receiver's copies are written and sent; then what is due is done.
final class MediaCore: PacketSink {
  /// A meeting on this worker.
  final class Meeting {
    let id: MeetingID
    let index: Int
    let router: Router
    var events: MediaEvents?
    var dataEvents: AsyncStream<MeetingDataEvent>.Continuation?
    var participants = 0
    /// Whether it is this worker that says who speaks; one of the meeting's workers does.
    var isJudge = true
    /// Whether it is on the list of meetings that something happened in.
    var isTouched = false
    /// The deadline that the heap has.
    var scheduled = Instant.distantFuture

    init(id: MeetingID, index: Int, router: Router) {
      self.id = id
      self.index = index
      self.router = router
    }
  }

  let loop: EventLoop
  let configuration: MediaWorkerConfiguration
  var statistics = MediaWorkerStatistics()
  /// Apart from ``statistics``, which has lists: a plain number needs no check for exclusive access.
  var datagramsReceived: UInt64 = 0
  // These lists are assigned as a whole: an array that is changed in place is checked for exclusive access by who reads
  // it, for each packet.
  private(set) var connections: ContiguousArray<Connection?> = []
  private(set) var meetings: ContiguousArray<Meeting?> = []
  var connectionsByID: [ParticipantID: Connection] = [:]
  var meetingsByID: [MeetingID: Meeting] = [:]
  var addresses: AddressTable
  var fragments: [HeaderExtensionText: Int] = [:]
  var deadlines = DeadlineHeap()
  var touched = DirtyMeetings()
  var gauge: LoadGauge
  private let published: WorkerGauge
  /// The wires to other workers.
  var links: ContiguousArray<WorkerLink> = []

  let clock: NTPClock
  let batch = OutputBatch()
  let slab: ReceiveSlab
  var sockets: ContiguousArray<UDPSocket> = []
  private var registrations: [EventLoop.Registration] = []
  private var listeners: [TCPListener] = []
  /// Reports addresses that come and go; nil where the kernel does not.
  var monitor: NetworkMonitor?
  var addressPolicy: MediaAddressPolicy
  /// The addresses that clients are offered; nil before the start.
  var reachable: MediaAddresses?
  var streams: [UInt32: TCPPeer] = [:]
  var nextStreamHandle: UInt32 = 1_000
  /// Those of ``streams`` over which no authenticated check has come yet: networks have shares of them, and the oldest
  /// gives way.
  var unprovenStreams = SharedCapacity<UInt32>(capacity: StreamLimit.unproven)
  /// Participants who have proven themselves over another one since the last tick.
  var streamOwners: Set<Int> = []
  let frame = ByteBlock(count: OutputBatch.packetRoom + 2)
  let peerConfiguration: PeerConnectionConfiguration
  var random = SystemRandomNumberGenerator()
  var isShutDown = false

  /// A router is flushed when this many packets wait in it, so that a long receive stays bounded.
  static let flushThreshold = 64
  private static let housekeeping = TimeSpan.seconds(5)
  private static let housekeepingID = 0

  init(
    loop: EventLoop, configuration: MediaWorkerConfiguration, gauge published: WorkerGauge, unixNanoseconds: Int64
  ) throws(TransportError) {
    self.loop = loop
    self.published = published
    self.configuration = configuration
    addressPolicy = configuration.addresses
    var random = SystemRandomNumberGenerator()
    addresses = AddressTable(seed: random.next())
    clock = NTPClock(instant: MonotonicClock.now, time: NTPTime(unixNanoseconds: unixNanoseconds))
    gauge = LoadGauge(maximumHold: configuration.maximumHold)
    slab = try ReceiveSlab()
    peerConfiguration = PeerConnectionConfiguration(dtls: configuration.dtls, policy: configuration.policy)
  }

  // MARK: Sockets

  /// Opens the sockets and starts to receive.
  func start() throws(TransportError) {
    try openSockets()
    watchAddresses()
    for index in sockets.indices {
      registrations.append(
        // The loop holds this core until `shutdown()` or until its thread ends, and lets go of it there.
        try loop.register(sockets[index].descriptor, for: .readable) { _ in self.receive(index) })
    }
    for listener in listeners {
      registrations.append(try listener.start(on: loop) { accepted in self.accept(accepted) })
    }
    deadlines.set(loop.now + Self.housekeeping, for: Self.housekeepingID)
    loop.setHandlers(onDeadline: {}, onTickEnd: { self.endTick() })
  }

  /// The UDP port, once started.
  var port: UInt16 { sockets.first?.localAddress.port ?? 0 }

  /// Whether packets can come to an address: an address outside of a NAT leads to any socket of its family.
  func hasSocket(for ip: IPAddress) -> Bool { sockets.contains { $0.localAddress.ip.isIPv4 == ip.isIPv4 } }
  /// Whether TCP is taken.
  var hasListener: Bool { !listeners.isEmpty }

  /// Takes over what was opened to listen on.
  func setSockets(_ opened: ContiguousArray<UDPSocket>, _ listening: [TCPListener]) {
    sockets = opened
    listeners = listening
  }

  func shutdown() {
    guard !isShutDown else { return }
    isShutDown = true
    for connection in connections { if let connection { leave(connection) } }
    for meeting in meetings {
      meeting?.events?.finish()
      meeting?.dataEvents?.finish()
    }
    for registration in registrations { loop.unregister(registration) }
    closeLinks()
    for stream in streams.values { stream.connection?.close() }
    streams.removeAll()
    registrations = []
    sockets = []
    listeners = []
    monitor?.stop()
    monitor = nil
    loop.setHandlers(onDeadline: nil, onTickEnd: nil)
  }

  // MARK: Connections' events

  /// After a connection did something: sends what it wants sent and acts on what it says.
  func settle(_ connection: Connection) {
    while let datagram = connection.peer.pollTransmit() { send(datagram) }
    while let event = connection.peer.pollEvent() { handle(event, connection) }
    // The outcome of the events; nearly always nothing.
    while let datagram = connection.peer.pollTransmit() { send(datagram) }
    deadlines.set(connection.peer.deadline, for: deadlineID(connection))
  }

  private func handle(_ event: PeerConnectionEvent, _ connection: Connection) {
    switch event {
    case .connected:
      updateEgress(connection)
      emit(.connected(connection.id), connection.meeting)
    case .iceSelectedPathChanged(let path):
      connection.path = path
      updateEgress(connection)
    case .icePathValidated(let path):
      addresses.set(connection.index, for: path.remote, handle: path.handle)
      if path.transport == .tcp { proved(path.handle, by: connection.index) }
    case .icePathForgotten(let path):
      // The peer may still be heard from there over another address of this machine.
      if !connection.peer.isProven(from: path.remote, handle: path.handle) {
        addresses.remove(path.remote, handle: path.handle, value: connection.index)
      }
      if path.transport == .tcp { streams[path.handle]?.connection?.close() }
    case .iceUfragRetired(let fragment):
      if let text = HeaderExtensionText(fragment) { fragments[text] = nil }
      connection.fragments.removeAll { $0 == fragment }
    case .iceConsentLost, .iceFailed, .closed:
      connection.meeting.router.close(connection.member)
      connection.isOpen = false
      emit(.lost(connection.id), connection.meeting)
    case .iceConsentRestored:
      updateEgress(connection)
      if connection.peer.isConnected { emit(.connected(connection.id), connection.meeting) }
    case .data(let event): handle(event, connection)
    case .iceLocalCandidate, .iceGatheringComplete, .iceServerFailed: break
    case .dtlsFailed:
      if !connection.peer.isConnected { emit(.lost(connection.id), connection.meeting) }
    }
  }

  /// Media flows while there are keys and a path that the peer consents to.
  private func updateEgress(_ connection: Connection) {
    let router = connection.meeting.router
    if let sender = connection.peer.srtpSender, connection.path != nil, connection.peer.isConnected {
      // Another handshake has brought other keys: the peer can read nothing that the ones before encrypt.
      guard !connection.isOpen || !connection.member.egress.encrypts(with: sender) else { return }
      if connection.isOpen { router.close(connection.member) }
      connection.isOpen = true
      router.open(connection.member, sender: sender)
      touch(connection.meeting)
    } else if connection.isOpen {
      connection.isOpen = false
      router.close(connection.member)
    }
  }

  private func emit(_ event: MediaEvent, _ meeting: Meeting) { meeting.events?.send(event) }

  // MARK: Time

  @inline(__always)
  func touch(_ meeting: Meeting) { if !meeting.isTouched { touched.add(meeting) } }

  func replaceConnection(at index: Int, by connection: Connection?) {
    // Taken out while it is changed, so that it is not copied.
    var others = connections
    connections = []
    if index == others.count { others.append(connection) } else { others[index] = connection }
    connections = others
  }

  func replaceMeeting(at index: Int, by meeting: Meeting?) {
    var others = meetings
    meetings = []
    if index == others.count { others.append(meeting) } else { others[index] = meeting }
    meetings = others
  }

  func deadlineID(_ connection: Connection) -> Int { 1 + connection.index * 2 }
  func deadlineID(_ meeting: Meeting) -> Int { 2 + meeting.index * 2 }

  private func endTick() {
    let now = loop.now
    if !links.isEmpty { receiveRelayed(now) }
    while let id = deadlines.popDue(now: now) { timeout(id, now) }
    let flushAt = touched.isEmpty ? Instant.distantFuture : flushDue(now)
    let mayRest = links.isEmpty || settleRelays()
    loop.setDeadline(mayRest ? min(deadlines.earliest, flushAt) : now)
    gauge.tick(start: now, end: MonotonicClock.now)
    published.utilization = gauge.utilization
  }

  /// Flushes the meetings whose packets have waited long enough, and says when the next one is due.
  private func flushDue(_ now: Instant) -> Instant {
    touched.begin(now: now, load: gauge.hold, isBusy: gauge.isBusy)
    // No meeting ends in this loop.
    while let (meeting, isDue) = touched.next(of: meetings) {
      meeting.use { meeting in
        guard isDue else { return schedule(meeting, meeting.router.deadline) }
        if meeting.router.needsFlush { meeting.router.flush(now: now, batch: batch, to: self) }
        serve(meeting, now)
      }
    }
    return touched.earliest
  }

  /// Lets a router do what is due, passes its events on and notes its next deadline.
  private func serve(_ meeting: Meeting, _ now: Instant) {
    let router = meeting.router
    var due = router.deadline
    if due <= now {
      router.handleTimeout(now: now, batch: batch, to: self)
      due = router.deadline
    }
    while let event = router.pollEvent() {
      if case .speakers = event, !meeting.isJudge { continue }
      emit(event, meeting)
    }
    schedule(meeting, due)
  }

  /// Brings the meeting's place in the heap of deadlines up to date.
  @inline(__always)
  private func schedule(_ meeting: Meeting, _ deadline: Instant) {
    guard deadline != meeting.scheduled else { return }
    meeting.scheduled = deadline
    deadlines.set(deadline, for: deadlineID(meeting))
  }

  private func timeout(_ id: Int, _ now: Instant) {
    if id == Self.housekeepingID {
      closeUnwantedStreams(now)
      refreshAddresses()
      deadlines.set(now + Self.housekeeping, for: Self.housekeepingID)
    } else if id % 2 == 1 {
      let index = (id - 1) / 2
      guard connections.indices.contains(index), let connection = connections[index] else { return }
      connection.peer.handleTimeout(now: now)
      settle(connection)
    } else {
      let index = (id - 2) / 2
      guard meetings.indices.contains(index), let meeting = meetings[index] else { return }
      meeting.scheduled = .distantFuture
      serve(meeting, now)
    }
  }
}
