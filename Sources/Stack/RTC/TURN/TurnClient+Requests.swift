internal import Basics

extension TurnClient {
  /// Sends a request and waits for its answer. One for the same purpose that is already under way is enough.
  mutating func begin(_ purpose: Transaction.Purpose, now: Instant) {
    guard !transactions.contains(where: { $0.purpose == purpose }) else { return }
    transactions.append(Transaction(purpose: purpose, id: STUNTransactionID(high: 0, low: 0), bytes: []))
    write(transactions.count - 1, now: now)
  }

  /// Writes a transaction's request again, with a new id and the present nonce, and sends it.
  mutating func write(_ index: Int, now: Instant) {
    let id = STUNTransactionID(using: &random)
    transactions[index].id = id
    transactions[index].isAuthenticated = key != nil
    transactions[index].transmissions = 0
    transactions[index].bytes = request(transactions[index].purpose, id: id)
    transmit(index, now: now)
  }

  mutating func transmit(_ index: Int, now: Instant) {
    let sent = transactions[index].transmissions
    transactions[index].transmissions = sent + 1
    transactions[index].nextAt = now + (isStream ? Self.streamTimeout : Self.initialRTO * (1 << Int64(sent)))
    outgoing.append(transactions[index].bytes)
  }

  private func request(_ purpose: Transaction.Purpose, id: STUNTransactionID) -> [UInt8] {
    let method: STUNMethod =
      switch purpose {
      case .allocate: .allocate
      case .refresh, .release: .refresh
      case .permission: .createPermission
      case .channel: .channelBind
      }
    var builder = STUNMessageBuilder(.request, method: method, transactionID: id)
    switch purpose {
    case .allocate:
      // UDP, protocol number 17, and three reserved bytes.
      builder.add(.requestedTransport, [17, 0, 0, 0])
      if wantsIPv6 { builder.add(.requestedAddressFamily, [2, 0, 0, 0]) }
      if let requestedLifetime { builder.addLifetime(seconds: seconds(requestedLifetime)) }
    case .refresh:
      if wantsIPv6 { builder.add(.requestedAddressFamily, [2, 0, 0, 0]) }
      if let requestedLifetime { builder.addLifetime(seconds: seconds(requestedLifetime)) }
    case .release: builder.addLifetime(seconds: 0)
    case .permission(let peer): builder.addXorPeerAddress(peer)
    case .channel(let peer):
      let number = peers.first { $0.address == peer }?.channel ?? 0
      builder.add(.channelNumber, [UInt8(number >> 8), UInt8(truncatingIfNeeded: number), 0, 0])
      builder.addXorPeerAddress(peer)
    }
    if key != nil {
      builder.addUsername(username)
      builder.add(.realm, realm.utf8)
      builder.add(.nonce, nonce)
    }
    return builder.finish(integrity: key)
  }

  private func seconds(_ span: TimeSpan) -> UInt32 { UInt32(clamping: span.nanoseconds / 1_000_000_000) }

  /// The end of a request without success.
  mutating func gaveUp(_ purpose: Transaction.Purpose, _ error: TurnError, now: Instant) {
    switch purpose {
    case .allocate, .refresh: fail(error)
    case .release:
      phase = .over
      events.append(.released)
    case .permission(let peer):
      guard let index = peers.firstIndex(where: { $0.address == peer }) else { return }
      peers[index].permission = .refused
      peers[index].waiting = []
      peers[index].refreshAt = .distantFuture
      events.append(.refused(peer: peer, error))
    case .channel(let peer):
      guard let index = peers.firstIndex(where: { $0.address == peer }) else { return }
      // Send indications still work while the permission does.
      peers[index].isBound = false
      if peers[index].permission == .granted { peers[index].refreshAt = now }
    }
  }

  mutating func fail(_ error: TurnError) {
    phase = .over
    relayedAddress = nil
    peers = []
    transactions = []
    refreshAt = .distantFuture
    events.append(.failed(error))
  }
}
