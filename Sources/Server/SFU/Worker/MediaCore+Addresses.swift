import Basics
import RTC
import Transport

/// The addresses of this worker, and those that clients get.
extension MediaCore {
  /// Opens what media listens on, UDP and TCP at the same port.
  func openSockets() throws(TransportError) {
    let port = configuration.port
    guard !configuration.addresses.hosts.isEmpty else { return try openWildcards(port) }
    var attempts = 0
    while true {
      do throws(TransportError) {
        return try openHosts(port)
      } catch .addressInUse(_) where port == 0 && attempts < 16 {
        // Another program has on one address the port that was free on the first.
        attempts += 1
      }
    }
  }

  private func openWildcards(_ port: UInt16) throws(TransportError) {
    let any4 = IPAddress(v4: 0)
    let any6 = IPAddress(high: 0, low: 0)
    let first = try UDPSocket(bind: TransportAddress(ip: any4, port: port))
    var opened: ContiguousArray<UDPSocket> = [first]
    let port = first.localAddress.port
    if configuration.usesIPv6 {
      // A machine without IPv6 is no error.
      if let second = try? UDPSocket(bind: TransportAddress(ip: any6, port: port)) { opened.append(second) }
    }
    var listening: [TCPListener] = []
    if configuration.usesTCP {
      let listener =
        (try? TCPListener(bind: TransportAddress(ip: any6, port: port), dualStack: true))
        ?? (try? TCPListener(bind: TransportAddress(ip: any4, port: port), dualStack: false))
      if let listener { listening = [listener] }
    }
    setSockets(opened, listening)
  }

  private func openHosts(_ port: UInt16) throws(TransportError) {
    var opened: ContiguousArray<UDPSocket> = []
    var listening: [TCPListener] = []
    for host in configuration.addresses.hosts {
      let socket = try UDPSocket(bind: TransportAddress(ip: host, port: opened.first?.localAddress.port ?? port))
      opened.append(socket)
      if configuration.usesTCP { listening.append(try TCPListener(bind: socket.localAddress, dualStack: false)) }
    }
    setSockets(opened, listening)
  }

  /// Follows what becomes of the machine's addresses, from now on.
  func watchAddresses() {
    // Of routes that come and go the kernel gives no notices here, so ``refreshAddresses()`` asks from time to time.
    monitor = try? NetworkMonitor(on: loop) { [unowned self] interfaces in self.found(interfaces) }
    found(monitor?.interfaces ?? (try? NetworkInterfaces.list()) ?? [])
  }

  /// Looks for another default route, which may come after its interface's addresses, and for other addresses where
  /// the kernel gives no notices.
  func refreshAddresses() {
    if let interfaces = monitor?.interfaces ?? (try? NetworkInterfaces.list()) { found(interfaces) }
  }

  /// Gives clients other addresses from now on; the local ones stay.
  func use(_ policy: MediaAddressPolicy) {
    addressPolicy = policy
    addressPolicy.hosts = configuration.addresses.hosts
    found((try? NetworkInterfaces.list()) ?? [])
  }

  private func found(_ interfaces: [NetworkInterface]) {
    let found = addressPolicy.addresses(of: interfaces, routed: LocalAddresses.routed())
    guard found != reachable else { return }
    reachable = found
    configuration.onAddresses?(MediaAddressReport(told: found.told(reached: nil), leftOut: found.leftOut))
  }

  /// What a client is told that has reached the server's pages at `reached`; nil where that is not known.
  func candidates(reached: IPAddress?) -> [IceCandidate] {
    var out: [IceCandidate] = []
    for (index, ip) in (reachable?.told(reached: reached) ?? []).enumerated() where hasSocket(for: ip) {
      out.append(.host(TransportAddress(ip: ip, port: port), transport: .udp, preference: UInt16(65_535 - index * 256)))
      if hasListener {
        let tcp = TransportAddress(ip: ip, port: port)
        out.append(.host(tcp, transport: .tcp, preference: UInt16(8_191 - index * 64)))
      }
    }
    return out
  }
}
