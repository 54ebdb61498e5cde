internal import Basics

extension IceGatherer {
  // MARK: Time

  var deadline: Instant {
    var next = Instant.distantFuture
    for query in queries { next = min(next, query.nextAt) }
    for relay in relays where !relay.isOver { next = min(next, relay.client.deadline) }
    return next
  }

  mutating func handleTimeout(now: Instant) {
    var index = 0
    while index < queries.count {
      if queries[index].nextAt > now {
        index += 1
      } else if queries[index].transmissions < Self.maximumTransmissions {
        let sent = queries[index].transmissions
        queries[index].transmissions = sent + 1
        queries[index].nextAt = now + TurnClient.initialRTO * (1 << Int64(sent))
        outgoing.append(IceTransmission(path: queries[index].path, bytes: queries[index].bytes))
        index += 1
      } else {
        let server = queries.remove(at: index).server
        let text = servers[server].url.text
        if !queries.contains(where: { $0.server == server }) { events.append(.stunFailed(url: text, .noAnswer)) }
      }
    }
    for index in relays.indices where !relays[index].isOver && relays[index].client.deadline <= now {
      relays[index].client.handleTimeout(now: now)
      drain(index, now: now)
    }
  }

  // MARK: Receiving

  /// Takes a packet that may be a server's. `.handled` and `.data` mean that it was; `relay` says whose the data is.
  mutating func receive(_ packet: Span<UInt8>, path: IcePath, now: Instant) -> (input: TurnClient.Input, relay: Int) {
    for index in relays.indices {
      guard let outer = relays[index].outer, outer.handle == path.handle, outer.remote == path.remote,
        outer.transport == path.transport, !relays[index].client.isOver
      else { continue }
      let input = relays[index].client.receive(packet, now: now)
      drain(index, now: now)
      if input != .ignored { return (input, index) }
    }
    return (receiveAnswer(packet, path: path) ? .handled : .ignored, 0)
  }

  private mutating func receiveAnswer(_ packet: Span<UInt8>, path: IcePath) -> Bool {
    guard !queries.isEmpty, let message = try? STUNMessage(parsing: packet), message.method == .binding,
      message.messageClass == .successResponse || message.messageClass == .errorResponse,
      let index = queries.firstIndex(where: { $0.id == message.transactionID && $0.path.remote == path.remote })
    else { return false }
    let query = queries.remove(at: index)
    guard message.messageClass == .successResponse, message.fingerprint != .invalid,
      let mapped = message.xorMappedAddress, mapped.port != 0, !mapped.ip.isUnspecified
    else { return true }
    addReflexive(mapped, over: query.path)
    return true
  }

  private mutating func addReflexive(_ mapped: TransportAddress, over path: IcePath) {
    // Equal to the base, it would be redundant (RFC 8445 section 5.1.3).
    guard policy == .all, mapped != path.local else { return }
    let candidate = IceCandidate(
      foundation: foundation("s", path.local.ip, path.remote.ip), component: 1, transport: .udp,
      priority: IceCandidate.priority(kind: .serverReflexive, transport: .udp), host: .ip(mapped.ip), port: mapped.port,
      kind: .serverReflexive, tcpType: nil, relatedAddress: path.local)
    // Checks leave from the socket anyway, so the peer gets it but it makes no pairs (RFC 8445 section 6.1.2.4).
    emit(candidate, base: nil)
  }

  /// Same kind, base and server make the same foundation (RFC 8445 section 5.1.1.3).
  func foundation(_ kind: String, _ base: IPAddress, _ server: IPAddress) -> String {
    let words = [base.high, base.low, server.high, server.low]
    let hash = words.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ $1) &* 0x100_0000_01B3 }
    return kind + String(hash >> 32)
  }

  // MARK: Streams

  /// Whether a request is one of a TURN server's, and what came of it.
  mutating func streamOpened(_ request: UInt32, path: IcePath, now: Instant) -> Bool {
    guard let index = relays.firstIndex(where: { $0.streamRequest == request && !$0.isOver }) else { return false }
    relays[index].streamRequest = nil
    relays[index].outer = path
    relays[index].client.start(now: now)
    drain(index, now: now)
    return true
  }

  mutating func streamFailed(_ request: UInt32, now: Instant) -> Bool {
    guard let index = relays.firstIndex(where: { $0.streamRequest == request && !$0.isOver }) else { return false }
    relays[index].client.connectionLost()
    drain(index, now: now)
    return true
  }

  mutating func streamClosed(_ handle: UInt32, now: Instant) {
    for index in relays.indices where relays[index].outer?.handle == handle && relays[index].outer?.transport == .tcp {
      relays[index].outer = nil
      relays[index].client.connectionLost()
      drain(index, now: now)
    }
  }

  // MARK: Relays

  static func handle(ofRelay index: Int) -> UInt32 { IcePath.firstRelayHandle | UInt32(truncatingIfNeeded: index) }

  /// The relay that a path leaves through.
  func relay(of path: IcePath) -> Int? {
    guard path.isRelayed else { return nil }
    let index = Int(path.handle & ~IcePath.firstRelayHandle)
    guard index < relays.count, !relays[index].isOver, relays[index].client.relayedAddress == path.local else {
      return nil
    }
    return index
  }

  func route(of path: IcePath) -> IceRoute? {
    guard let index = relay(of: path), let outer = relays[index].outer,
      let encapsulation = relays[index].client.encapsulation(to: path.remote)
    else { return nil }
    return IceRoute(
      transport: outer.transport, handle: outer.handle, local: outer.local, remote: outer.remote,
      encapsulation: encapsulation)
  }

  /// Sends a packet of ICE's own through a relay.
  mutating func send(_ bytes: [UInt8], over path: IcePath, now: Instant) {
    guard let index = relay(of: path) else { return }
    relays[index].client.send(bytes.span, to: path.remote, now: now)
    drain(index, now: now)
  }

  mutating func bindChannel(for path: IcePath, now: Instant) {
    guard let index = relay(of: path) else { return }
    relays[index].client.bindChannel(path.remote, now: now)
    drain(index, now: now)
  }

  /// Releases every allocation but that of `path`.
  /// - Returns: The handles that no path has any more.
  mutating func release(except path: IcePath?) -> [UInt32] {
    let kept = path.flatMap { relay(of: $0) }
    var released: [UInt32] = []
    for index in relays.indices where index != kept && !relays[index].isOver {
      let foundation = relayFoundation(index)
      candidates.removeAll { $0.kind == .relayed && $0.foundation == foundation }
      relays[index].client.close()
      drain(index, now: .distantFuture)
      finish(index)
      released.append(Self.handle(ofRelay: index))
    }
    return released
  }

  /// Moves a TURN client's datagrams and events into the gatherer's.
  mutating func drain(_ index: Int, now: Instant) {
    while let event = relays[index].client.pollEvent() { take(event, index, now: now) }
    while let bytes = relays[index].client.pollTransmit() {
      if let outer = relays[index].outer { outgoing.append(IceTransmission(path: outer, bytes: bytes)) }
    }
  }

  private mutating func take(_ event: TurnClient.Event, _ index: Int, now: Instant) {
    switch event {
    case .allocated(let relayed, let mapped): allocated(index, relayed, mapped)
    case .failed(let error):
      let text = servers[relays[index].server].url.text
      let foundation = relayFoundation(index)
      candidates.removeAll { $0.kind == .relayed && $0.foundation == foundation }
      finish(index)
      events.append(.relayFailed(handle: Self.handle(ofRelay: index), url: text, error))
    case .redirected(let other): redirect(index, to: other, now: now)
    case .refused(let peer, _): events.append(.peerRefused(handle: Self.handle(ofRelay: index), peer))
    case .channelBound: events.append(.encapsulationChanged)
    case .released: break
    }
  }

  private mutating func finish(_ index: Int) {
    guard !relays[index].isOver else { return }
    relays[index].isOver = true
    if let outer = relays[index].outer, outer.transport == .tcp { requests.append(.closeStream(handle: outer.handle)) }
  }

  private func relayFoundation(_ index: Int) -> String { "r\(index)" }

  private mutating func allocated(_ index: Int, _ relayed: TransportAddress, _ mapped: TransportAddress?) {
    guard let outer = relays[index].outer else { return }
    let isStream = outer.transport == .tcp
    if let mapped, !isStream { addReflexive(mapped, over: outer) }
    let candidate = IceCandidate(
      foundation: relayFoundation(index), component: 1, transport: .udp,
      priority: IceCandidate.priority(
        kind: .relayed, transport: .udp, preference: (isStream ? 32_767 : 65_535) &- UInt16(clamping: index)),
      host: .ip(relayed.ip), port: relayed.port, kind: .relayed, tcpType: nil,
      // Every candidate but a host's names one (RFC 8839 section 5.1); whoever hides behind relays names none that
      // means anything.
      relatedAddress: policy == .all ? mapped : TransportAddress(ip: IPAddress(v4: 0), port: 9))
    candidates.append(candidate)
    events.append(
      .candidate(
        candidate,
        base: IceBase(
          handle: Self.handle(ofRelay: index), address: relayed, rank: isStream ? .relayedStream : .relayed,
          priority: candidate.priority, foundation: candidate.foundation)))
  }

  /// Asks the server that the first one named (RFC 8489 section 10), of the same family and not one that was asked
  /// before.
  private mutating func redirect(_ index: Int, to other: TransportAddress, now: Instant) {
    let asked = relays[index].outer?.remote
    relays[index].alternates.append(asked ?? other)
    let url = servers[relays[index].server].url
    guard relays[index].alternates.count <= Self.maximumAlternates, !relays[index].alternates.contains(other),
      asked?.ip.isIPv4 == other.ip.isIPv4, let outer = relays[index].outer
    else {
      finish(index)
      events.append(.relayFailed(handle: Self.handle(ofRelay: index), url: url.text, .tooManyAlternates))
      return
    }
    let old = relays[index].client
    relays[index].client = TurnClient(
      username: old.username, password: old.password, wantsIPv6: old.wantsIPv6, isStream: old.isStream,
      requestedLifetime: old.requestedLifetime, random: random)
    _ = random.next()
    if outer.transport == .tcp {
      requests.append(.closeStream(handle: outer.handle))
      requestStream(index, host: .ip(other.ip), port: other.port)
    } else {
      relays[index].outer = IcePath(transport: .udp, local: outer.local, remote: other, handle: outer.handle)
      relays[index].client.start(now: now)
      drain(index, now: now)
    }
  }
}
