import Basics
import COpenSSL
import TestSeeds
import Testing

@testable import RTC

/// Two DTLS ends on a network in virtual time, with seeded loss, delay, reordering and duplicates.
final class DTLSLink {
  /// The network's effect on datagrams.
  struct Network {
    var loss = 0.0
    var duplicates = 0.0
    var delay: TimeSpan = .milliseconds(10)
    /// Extra delay, equally likely from nothing to this: more than the distance between datagrams reorders them.
    var jitter: TimeSpan = .zero
    /// Rewrites what the client (true) or server (false) sends: one datagram in, any number out.
    var tamper: ((_ fromClient: Bool, _ datagram: [UInt8]) -> [[UInt8]])?
  }

  private struct InFlight {
    var at: Instant
    var order: Int
    var toClient: Bool
    var bytes: [UInt8]
  }

  let client: DTLSTransport
  let server: DTLSTransport
  var now: Instant = .milliseconds(1_000)
  var network: Network
  private var random: SeededRandom
  private var wire: [InFlight] = []
  private var order = 0
  private(set) var clientEvents: [DTLSEvent] = []
  private(set) var serverEvents: [DTLSEvent] = []
  /// Every datagram sent, with who sent it.
  private(set) var sent: [(fromClient: Bool, bytes: [UInt8])] = []

  static let clientCertificate = Result { try DTLSCertificate.selfSigned(unixTime: 1_800_000_000) }
  static let serverCertificate = Result { try DTLSCertificate.selfSigned(unixTime: 1_800_000_000) }

  init(
    seed: UInt64 = 1, network: Network = Network(), clientMTU: Int = 1_200, serverMTU: Int = 1_200,
    clientProfiles: [SRTPProfile] = DTLSContext.defaultProfiles,
    serverProfiles: [SRTPProfile] = DTLSContext.defaultProfiles,
    clientExpects: [Fingerprint]? = nil, serverExpects: [Fingerprint]? = nil, cipher: String? = nil
  ) throws {
    let clientCertificate = try Self.clientCertificate.get()
    let serverCertificate = try Self.serverCertificate.get()
    client = try DTLSTransport(
      context: DTLSContext(certificate: clientCertificate, profiles: clientProfiles), role: .client,
      remoteFingerprints: clientExpects ?? [serverCertificate.fingerprint], mtu: clientMTU)
    let serverContext = try DTLSContext(certificate: serverCertificate, profiles: serverProfiles)
    if let cipher { try #require(SSL_CTX_set_cipher_list(serverContext.server, cipher) == 1) }
    server = try DTLSTransport(
      context: serverContext, role: .server,
      remoteFingerprints: serverExpects ?? [clientCertificate.fingerprint], mtu: serverMTU)
    random = SeededRandom(seed: TestSeed.of(seed))
    self.network = network
  }

  var clientKeys: SRTPKeyingMaterial? { Self.keys(clientEvents) }
  var serverKeys: SRTPKeyingMaterial? { Self.keys(serverEvents) }
  var bothConnected: Bool { clientKeys != nil && serverKeys != nil }

  private static func keys(_ events: [DTLSEvent]) -> SRTPKeyingMaterial? {
    for case .connected(let material) in events { return material }
    return nil
  }

  /// Starts both ends and runs until `done`, or nothing is left to happen, or the time is up.
  func handshake(limit: TimeSpan = .seconds(40), until done: ((DTLSLink) -> Bool)? = nil) {
    server.start(now: now)
    client.start(now: now)
    run(limit: limit, until: done ?? { $0.bothConnected })
  }

  func run(limit: TimeSpan = .seconds(40), until done: (DTLSLink) -> Bool = { _ in false }) {
    let end = now + limit
    collect()
    while !done(self) {
      let arrival = wire.map(\.at).min() ?? .distantFuture
      let next = min(arrival, min(client.deadline, server.deadline))
      guard next < end else { return }
      now = max(now, next)
      if client.deadline <= now { client.handleTimeout(now: now) }
      if server.deadline <= now { server.handleTimeout(now: now) }
      let due = wire.filter { $0.at <= now }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
      wire.removeAll { $0.at <= now }
      for datagram in due {
        (datagram.toClient ? client : server).receive(datagram.bytes.span, now: now)
        collect()
      }
      collect()
    }
  }

  /// Polls the datagrams and events of both ends.
  func collect() {
    while let bytes = client.pollTransmit() { send(bytes, fromClient: true) }
    while let bytes = server.pollTransmit() { send(bytes, fromClient: false) }
    while let event = client.pollEvent() { clientEvents.append(event) }
    while let event = server.pollEvent() { serverEvents.append(event) }
  }

  private func send(_ bytes: [UInt8], fromClient: Bool) {
    sent.append((fromClient, bytes))
    for datagram in network.tamper?(fromClient, bytes) ?? [bytes] {
      for _ in 0..<(random.chance(network.duplicates) ? 2 : 1) where !random.chance(network.loss) {
        let extra = network.jitter == .zero ? 0 : random.below(Int(network.jitter.nanoseconds))
        order += 1
        wire.append(
          InFlight(
            at: now + network.delay + TimeSpan(nanoseconds: Int64(extra)), order: order, toClient: !fromClient,
            bytes: datagram))
      }
    }
  }
}

extension DTLSTransport {
  /// `send` for use inside expectations, which cannot take a span.
  func send(bytes: [UInt8]) -> Bool { send(bytes.span) }
}

/// Cuts DTLS records apart and puts them together, for tests that need to see or change them.
enum DTLSRecords {
  static func split(_ datagram: [UInt8]) -> [[UInt8]] {
    var records: [[UInt8]] = []
    var at = 0
    while at + 13 <= datagram.count {
      let length = Int(datagram[at + 11]) << 8 | Int(datagram[at + 12])
      guard at + 13 + length <= datagram.count else { break }
      records.append(Array(datagram[at..<(at + 13 + length)]))
      at += 13 + length
    }
    return records
  }

  static func record(type: UInt8, epoch: UInt16, sequence: UInt64, _ body: [UInt8]) -> [UInt8] {
    [type, 0xFE, 0xFD, UInt8(epoch >> 8), UInt8(epoch & 255)]
      + (0..<6).map { UInt8(truncatingIfNeeded: sequence >> UInt64(40 - 8 * $0)) }
      + [UInt8(body.count >> 8), UInt8(body.count & 255)] + body
  }

  static func three(_ value: Int) -> [UInt8] {
    [UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }

  static func fragment(
    type: UInt8, length: Int, sequence: UInt16, offset: Int, count: Int, _ body: [UInt8]
  ) -> [UInt8] {
    [type] + three(length) + [UInt8(sequence >> 8), UInt8(sequence & 255)] + three(offset) + three(count) + body
  }

  /// Cuts every unencrypted handshake record of `datagram` into fragments of at most `size` bytes, a datagram each.
  /// Records are numbered again from `next`: the receiver's replay window is 64 wide.
  static func refragment(_ datagram: [UInt8], size: Int, _ next: inout UInt64) -> [[UInt8]] {
    var out: [[UInt8]] = []
    for record in split(datagram) {
      guard record[3] == 0, record[4] == 0 else {
        out.append(record)
        continue
      }
      guard record[0] == 22 else {
        out.append(Self.record(type: record[0], epoch: 0, sequence: next, Array(record[13...])))
        next += 1
        continue
      }
      let message = Array(record[13...])
      let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
      let start = Int(message[6]) << 16 | Int(message[7]) << 8 | Int(message[8])
      let body = Array(message[12...])
      let number = UInt16(message[4]) << 8 | UInt16(message[5])
      var at = 0
      repeat {
        let count = min(size, body.count - at)
        let piece = fragment(
          type: message[0], length: length, sequence: number, offset: start + at, count: count,
          Array(body[at..<(at + count)]))
        out.append(Self.record(type: 22, epoch: 0, sequence: next, piece))
        at += count
        next += 1
      } while at < body.count
    }
    return out
  }
}
