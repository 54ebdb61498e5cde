import Basics
import RTC

/// A TURN server (RFC 8656) for tests: one user, long-term credentials, allocations by 5-tuple. It also answers STUN
/// binding requests. Settings make it misbehave.
struct TurnServerModel {
  struct Allocation {
    var relayed: TransportAddress
    var until: Instant
    var permissions: [IPAddress: Instant] = [:]
    var channels: [UInt16: TransportAddress] = [:]
  }

  /// A client as the server sees it: its address, and its stream if it has one.
  struct Client: Hashable {
    var address: TransportAddress
    var stream: UInt32 = 0
  }

  enum Output {
    case toClient([UInt8], Client)
    case toPeer([UInt8], from: TransportAddress, to: TransportAddress)
  }

  let address: TransportAddress
  var username = "ann"
  var password = "secret"
  let realm = "example.org"
  var nonce = "nonce-1"
  var lifetime: Int64 = 600
  /// An error to answer authenticated Allocate requests with.
  var allocateError: Int?
  /// The server that every Allocate request is redirected to.
  var alternate: TransportAddress?
  /// Answers 438 once to every request after this time.
  var staleNonceAt: Instant?
  var refusesPeers = false
  var allocations: [Client: Allocation] = [:]
  var nextPort: UInt16 = 50_000
  var received: [STUNMethod: Int] = [:]
  var channelData = 0

  init(_ address: TransportAddress) { self.address = address }

  mutating func receive(_ bytes: [UInt8], from client: Client, now: Instant) -> [Output] {
    allocations = allocations.filter { $0.value.until > now }
    guard let first = bytes.first else { return [] }
    if (64...79).contains(first) {
      guard bytes.count >= 4, let allocation = allocations[client] else { return [] }
      let number = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
      let length = Int(bytes[2]) << 8 | Int(bytes[3])
      guard let peer = allocation.channels[number], bytes.count >= 4 + length else { return [] }
      channelData += 1
      return [.toPeer(Array(bytes[4..<(4 + length)]), from: allocation.relayed, to: peer)]
    }
    let span = bytes.span
    guard let message = try? STUNMessage(parsing: span) else { return [] }
    received[message.method, default: 0] += 1
    if message.messageClass == .indication {
      guard message.method == .send, let peer = message.xorPeerAddress, let range = message.dataRange,
        let allocation = allocations[client], (allocation.permissions[peer.ip] ?? .zero) > now
      else { return [] }
      return [.toPeer(Array(bytes[range]), from: allocation.relayed, to: peer)]
    }
    guard message.messageClass == .request else { return [] }
    var reply: [UInt8]
    if message.method == .binding {
      var builder = STUNMessageBuilder(.successResponse, transactionID: message.transactionID)
      builder.addXorMappedAddress(client.address)
      reply = builder.finish(integrity: nil)
    } else {
      reply = answer(message, client, now: now)
    }
    return [.toClient(reply, client)]
  }

  private mutating func answer(_ message: borrowing STUNMessage, _ client: Client, now: Instant) -> [UInt8] {
    if let alternate, message.method == .allocate { return error(300, message, alternate: alternate) }
    guard message.hasIntegrity else { return error(401, message, challenges: true) }
    if let staleNonceAt, now >= staleNonceAt {
      self.staleNonceAt = nil
      nonce += "+"
      return error(438, message, challenges: true)
    }
    let key = STUNIntegrityKey(username: username, realm: realm, password: password)
    guard message.isAuthentic(key) else { return error(401, message, challenges: true) }
    guard let given = message.nonce, Self.text(given) == nonce else { return error(438, message, challenges: true) }
    var builder = STUNMessageBuilder(.successResponse, method: message.method, transactionID: message.transactionID)
    switch message.method {
    case .allocate:
      if let allocateError { return error(allocateError, message) }
      if allocations[client] != nil { return error(437, message) }
      nextPort += 1
      let relayed = TransportAddress(ip: address.ip, port: nextPort)
      allocations[client] = Allocation(relayed: relayed, until: now + .seconds(lifetime))
      builder.addXorRelayedAddress(relayed)
      builder.addXorMappedAddress(client.address)
      builder.addLifetime(seconds: UInt32(lifetime))
    case .refresh:
      guard allocations[client] != nil else { return error(437, message) }
      if message.lifetimeSeconds == 0 {
        allocations[client] = nil
        builder.addLifetime(seconds: 0)
      } else {
        allocations[client]?.until = now + .seconds(lifetime)
        builder.addLifetime(seconds: UInt32(lifetime))
      }
    case .createPermission:
      guard allocations[client] != nil, let peer = message.xorPeerAddress else { return error(437, message) }
      if refusesPeers { return error(403, message) }
      allocations[client]?.permissions[peer.ip] = now + .seconds(300)
    case .channelBind:
      guard allocations[client] != nil, let peer = message.xorPeerAddress, let number = message.channelNumber else {
        return error(437, message)
      }
      if refusesPeers { return error(403, message) }
      allocations[client]?.permissions[peer.ip] = now + .seconds(300)
      allocations[client]?.channels[number] = peer
    default: return error(400, message)
    }
    return builder.finish(integrity: key)
  }

  private func error(
    _ code: Int, _ message: borrowing STUNMessage, challenges: Bool = false, alternate: TransportAddress? = nil
  ) -> [UInt8] {
    var builder = STUNMessageBuilder(.errorResponse, method: message.method, transactionID: message.transactionID)
    builder.addErrorCode(code, reason: "because")
    if challenges {
      builder.add(.realm, realm.utf8)
      builder.add(.nonce, nonce.utf8)
    }
    if let alternate {
      let bits = alternate.ip.v4Bits
      builder.add(
        .alternateServer,
        [0, 1, UInt8(alternate.port >> 8), UInt8(alternate.port & 255)]
          + (0..<4).map { UInt8(truncatingIfNeeded: bits >> (24 - 8 * UInt32($0))) })
    }
    return builder.finish(integrity: nil)
  }

  /// A datagram from a peer to a relayed address.
  mutating func receive(_ bytes: [UInt8], from peer: TransportAddress, relayed: TransportAddress, now: Instant)
    -> [Output]
  {
    guard let (client, allocation) = allocations.first(where: { $0.value.relayed == relayed }),
      allocation.until > now, (allocation.permissions[peer.ip] ?? .zero) > now
    else { return [] }
    if let channel = allocation.channels.first(where: { $0.value == peer })?.key {
      let header = [
        UInt8(channel >> 8), UInt8(channel & 255), UInt8(bytes.count >> 8), UInt8(bytes.count & 255),
      ]
      return [.toClient(header + bytes, client)]
    }
    var builder = STUNMessageBuilder(.indication, method: .data, transactionID: STUNTransactionID(high: 1, low: 2))
    builder.addXorPeerAddress(peer)
    builder.addData(bytes.span)
    return [.toClient(builder.finish(integrity: nil), client)]
  }

  private static func text(_ span: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
