import Basics
import RTC
import Transport

/// All load clients of a run on one thread: their sockets, connections and timers.
///
/// The load shares the machine with the server, so it is kept cheap; but each client does what a browser does: a socket
/// of its own without GRO, ICE consent checks, DTLS-SRTP with every packet decrypted, transport-wide feedback and
/// receiver reports.
actor LoadEngine {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let address: IPAddress
  private let coalesces: Bool
  private let slab: ReceiveSlab
  private let dtls: DTLSContext
  private var clients: [LoadClient] = []
  private var nextHousekeeping = Instant.zero
  private var isStarted = false

  /// An engine whose clients have sockets at `address`.
  /// - Parameter coalesces: See ``LoadClient/init(_:at:coalesces:dtls:)``.
  init(at address: IPAddress, coalesces: Bool) throws {
    self.address = address
    self.coalesces = coalesces
    loop = try EventLoop(name: "load")
    slab = try coalesces ? ReceiveSlab() : ReceiveSlab(slots: 32, slotSize: 2_048)
    // One profile only, so that every server encrypts with the same one.
    dtls = try DTLSContext(certificate: .selfSigned(unixTime: UnixTime.now), profiles: [.aeadAES128GCM])
  }

  /// Makes a client; returns its number.
  func add(_ plan: LoadClient.Plan) throws -> Int {
    start()
    let client = try LoadClient(plan, at: address, coalesces: coalesces, dtls: dtls)
    clients.append(client)
    _ = try loop.register(client.socket.descriptor, for: .readable) { [unowned client, slab] _ in
      client.receive(slab)
    }
    client.peer.startGathering(now: loop.now)
    client.drain(loop.now)
    return clients.count - 1
  }

  /// The client's first offer.
  func offer(_ index: Int) throws -> (sdp: String, tracks: [LoadClient.Track]) {
    (try clients[index].peer.createOffer(), clients[index].tracks)
  }

  /// Gives the client the answer to its offer.
  func answer(_ index: Int, _ answer: String) throws {
    try clients[index].peer.setAnswer(answer, now: loop.now)
    clients[index].drain(loop.now)
    schedule()
  }

  /// Gives the client an offer to receive and returns its answer.
  func takeOffer(_ index: Int, _ offer: String) throws -> String {
    let swapped = try SwappedOffer(theirs: offer, ours: clients[index].peer.createOffer())
    try answer(index, swapped.forConnection)
    return swapped.forOther
  }

  /// How long each connected client took from being made to having keys and a path.
  var joinTimes: [TimeSpan] { clients.compactMap { client in client.connectedAt.map { $0 - client.began } } }

  /// How many clients there are.
  var count: Int { clients.count }

  /// How many clients have keys and a path.
  var connected: Int { clients.count { $0.peer.isConnected && $0.peer.selectedPath != nil } }

  /// How many streams have delivered their first packet.
  var receiving: Int { clients.reduce(0) { $0 + $1.streamCount } }

  /// Lets publishers send from now on.
  func publish() {
    for client in clients { client.startPublishing(MonotonicClock.now) }
    schedule()
  }

  /// Forgets what was measured so far.
  func resetMeasurement() {
    for client in clients { client.measurement = Measurement() }
  }

  /// Everything measured since the last reset.
  func measurement() -> Measurement {
    clients.reduce(into: Measurement()) { $0.merge($1.measurement) }
  }

  /// Closes every connection and ends the thread.
  func stop() {
    for client in clients { client.close() }
    clients = []
    loop.stop()
  }

  private func start() {
    guard !isStarted else { return }
    isStarted = true
    loop.setHandlers(
      onDeadline: { [unowned self] in assumeIsolated { $0.tick() } },
      onTickEnd: nil)
  }

  private func tick() {
    let now = MonotonicClock.now
    for client in clients where client.nextSend <= now { client.sendDue(now) }
    if nextHousekeeping <= now {
      nextHousekeeping = now + .milliseconds(10)
      for client in clients { client.keepHouse(now) }
    }
    schedule()
  }

  private func schedule() {
    var next = nextHousekeeping
    for client in clients where client.nextSend < next { next = client.nextSend }
    loop.setDeadline(next)
  }
}
