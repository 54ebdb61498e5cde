import Basics
import RTC
import Transport

/// All load clients of a run on one thread: their sockets, connections and timers.
///
/// The load shares the machine with the server, so it is kept cheap; but each client does what a browser does: a socket of its own
/// without GRO, ICE consent checks, DTLS-SRTP with every packet decrypted, transport-wide feedback and receiver reports.
actor LoadEngine {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let slab: ReceiveSlab
  private let dtls: DTLSContext
  private var clients: [LoadClient] = []
  private var nextHousekeeping = Instant.zero
  private var isStarted = false

  init() throws {
    loop = try EventLoop(name: "load")
    slab = try ReceiveSlab(slots: 32, slotSize: 2_048)
    dtls = try DTLSContext(certificate: .selfSigned(unixTime: UnixTime.now))
  }

  /// Makes a client and its first offer.
  func add(_ plan: LoadClient.Plan) throws -> (index: Int, offer: String, tracks: [LoadClient.Track]) {
    start()
    let client = try LoadClient(plan, dtls: dtls)
    let index = clients.count
    clients.append(client)
    _ = try loop.register(client.socket.descriptor, for: .readable) { [unowned client, slab] _ in
      client.receive(slab)
    }
    return (index, try client.peer.createOffer(), client.tracks)
  }

  func answer(_ index: Int, _ answer: String) throws {
    try clients[index].peer.setAnswer(answer, now: loop.now)
    clients[index].drain(loop.now)
    schedule()
  }

  /// How many clients have keys and a path.
  var connected: Int { clients.count { $0.peer.isConnected && $0.peer.selectedPath != nil } }

  /// How many streams have delivered their first packet.
  var receiving: Int { clients.reduce(0) { $0 + $1.streamCount } }

  /// Lets publishers send from now on.
  func publish() {
    for client in clients { client.startPublishing(EventLoop.clock) }
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
    let now = EventLoop.clock
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
