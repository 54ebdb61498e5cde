public import Basics

extension TurnClient {
  /// The longest realm and nonce accepted (RFC 8489 sections 14.9 and 14.10 allow 763 bytes).
  private static let maximumText = 763

  /// Takes one packet from the server. ChannelData and Data indications cost a comparison for each known peer and no
  /// allocation.
  public mutating func receive(_ packet: Span<UInt8>, now: Instant) -> Input {
    guard phase != .over, packet.count >= 4 else { return .ignored }
    if packet[0] & 0xC0 == 0x40 { return receiveChannelData(packet) }
    let message: STUNMessage
    do { message = try STUNMessage(parsing: packet) } catch { return .ignored }
    switch message.messageClass {
    case .request: return .ignored
    case .indication: return receiveIndication(message)
    case .successResponse, .errorResponse: return receiveResponse(message, now: now)
    }
  }

  private func receiveChannelData(_ packet: Span<UInt8>) -> Input {
    let number = UInt16(packet[0]) << 8 | UInt16(packet[1])
    let length = Int(packet[2]) << 8 | Int(packet[3])
    // Over UDP there may be padding after it (RFC 8656 section 12.5).
    guard length <= packet.count - 4, let peer = peers.first(where: { $0.channel == number && $0.wantsChannel }) else {
      return .ignored
    }
    return .data(payload: 4..<(4 + length), peer: peer.address)
  }

  private func receiveIndication(_ message: borrowing STUNMessage) -> Input {
    guard message.method == .data, message.unknownRequiredCount == 0, let from = message.xorPeerAddress,
      let payload = message.dataRange
    else { return .ignored }
    // A permission is for an address, whatever the port: a peer behind a NAT may come from a port that we have not
    // asked for.
    guard peers.contains(where: { $0.address.ip == from.ip && $0.permission != .refused }) else { return .ignored }
    return .data(payload: payload, peer: from)
  }

  private mutating func receiveResponse(_ message: borrowing STUNMessage, now: Instant) -> Input {
    guard let index = transactions.firstIndex(where: { $0.id == message.transactionID }) else { return .ignored }
    let isAuthentic = key.map { message.isAuthentic($0) } ?? false
    if message.messageClass == .errorResponse {
      // A challenge carries no integrity that we could check (RFC 8489 section 9.2.5); any other error that has it must
      // have the right one.
      let code = message.errorCode ?? 400
      guard isAuthentic || !message.hasIntegrity || [300, 401, 438].contains(code) else { return .ignored }
      receiveError(code, message, index, now: now)
      return .handled
    }
    guard isAuthentic || !transactions[index].isAuthenticated, message.fingerprint != .invalid else {
      return .ignored
    }
    let purpose = transactions.remove(at: index).purpose
    guard message.unknownRequiredCount == 0 else {
      gaveUp(purpose, .malformedAnswer(missing: "attributes that we understand"), now: now)
      return .handled
    }
    succeeded(purpose, message, now: now)
    return .handled
  }

  private mutating func succeeded(_ purpose: Transaction.Purpose, _ message: borrowing STUNMessage, now: Instant) {
    switch purpose {
    case .allocate:
      guard phase == .allocating else { return }
      guard let relayed = message.xorRelayedAddress, relayed.port != 0, !relayed.ip.isUnspecified else {
        return fail(.malformedAnswer(missing: "XOR-RELAYED-ADDRESS"))
      }
      phase = .allocated
      relayedAddress = relayed
      scheduleRefresh(message.lifetimeSeconds, now: now)
      events.append(.allocated(relayed: relayed, mapped: message.xorMappedAddress))
    case .refresh: scheduleRefresh(message.lifetimeSeconds, now: now)
    case .release:
      phase = .over
      events.append(.released)
    case .permission(let peer):
      guard let index = peers.firstIndex(where: { $0.address == peer }) else { return }
      grant(index, now: now)
    case .channel(let peer):
      guard let index = peers.firstIndex(where: { $0.address == peer }) else { return }
      let isNew = !peers[index].isBound
      peers[index].isBound = true
      grant(index, now: now)
      if isNew { events.append(.channelBound(peer: peer)) }
    }
  }

  private mutating func grant(_ index: Int, now: Instant) {
    peers[index].permission = .granted
    peers[index].refreshAt = now + Self.permissionInterval
    let waiting = peers[index].waiting
    peers[index].waiting = []
    for packet in waiting {
      if let wrapped = wrap(packet.span, for: peers[index]) { outgoing.append(wrapped) }
    }
  }

  /// A minute before the end, or at half time of a short life (RFC 8656 section 8 leaves it to the client). A server
  /// that gives no or an absurd lifetime is held to ten minutes.
  private mutating func scheduleRefresh(_ seconds: UInt32?, now: Instant) {
    let lifetime = min(max(Int64(seconds ?? 600), 1), 86_400)
    refreshAt = now + (lifetime >= 120 ? .seconds(lifetime - 60) : .milliseconds(lifetime * 500))
  }

  private mutating func receiveError(_ code: Int, _ message: borrowing STUNMessage, _ index: Int, now: Instant) {
    let transaction = transactions[index]
    let isChallenge = code == 401 && !transaction.isAuthenticated
    if isChallenge || (code == 438 && transaction.staleNonces < Self.maximumStaleNonces) {
      guard takeChallenge(message) else {
        transactions.remove(at: index)
        return gaveUp(transaction.purpose, .malformedAnswer(missing: "REALM or NONCE"), now: now)
      }
      if code == 438 { transactions[index].staleNonces += 1 }
      write(index, now: now)
      return
    }
    transactions.remove(at: index)
    if code == 300, transaction.purpose == .allocate {
      guard let other = message.alternateServer, other.port != 0, !other.ip.isUnspecified else {
        return fail(.malformedAnswer(missing: "ALTERNATE-SERVER"))
      }
      phase = .over
      transactions = []
      events.append(.redirected(other))
      return
    }
    if code == 440, transaction.purpose == .allocate, wantsIPv6 {
      wantsIPv6 = false
      return begin(.allocate, now: now)
    }
    if code == 437, transaction.purpose != .allocate, transaction.purpose != .release { return fail(.allocationLost) }
    gaveUp(transaction.purpose, TurnError(code: code, reason: message.errorReason), now: now)
  }

  /// Takes realm and nonce of a challenge and makes the key (RFC 8489 section 9.2.2).
  private mutating func takeChallenge(_ message: borrowing STUNMessage) -> Bool {
    guard let newNonce = message.nonce, (1...Self.maximumText).contains(newNonce.count) else { return false }
    // 438 may leave the realm out when it is the same.
    if let newRealm = message.realm {
      guard (1...Self.maximumText).contains(newRealm.count), let text = try? UTF8Span(validating: newRealm) else {
        return false
      }
      let copy = String(copying: text)
      if copy != realm || key == nil {
        realm = copy
        key = STUNIntegrityKey(username: username, realm: realm, password: password.value)
      }
    }
    guard key != nil else { return false }
    nonce = []
    for index in newNonce.indices { nonce.append(newNonce[index]) }
    return true
  }
}
