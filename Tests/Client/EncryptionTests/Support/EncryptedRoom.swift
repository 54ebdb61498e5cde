import Basics
import Crypto
import Testing

@testable import Encryption

/// An encrypted meeting in virtual time: clients, and a server between them that passes on what they send, or something
/// else.
final class EncryptedRoom {
  /// The sealed bytes, which the server passes on.
  enum Message {
    case announcement([UInt8], from: ParticipantID)
    case envelope([UInt8], from: ParticipantID)
    case frame([UInt8], from: ParticipantID, source: FrameSource, number: Int)
    case left(ParticipantID, isRemoved: Bool)
  }

  final class Client {
    let id: ParticipantID
    let keys: KeyExchange
    var isThere = true
    var events: [KeyEvent] = []
    /// The frames that opened, by sender, and when.
    var opened: [ParticipantID: [(number: Int, at: Instant)]] = [:]
    var drops: [FrameDrop] = []

    init(id: ParticipantID, keys: KeyExchange) {
      self.id = id
      self.keys = keys
    }

    func count(_ sender: ParticipantID) -> Int { opened[sender]?.count ?? 0 }
    func hasOpened(_ number: Int, of sender: ParticipantID) -> Bool {
      opened[sender]?.contains { $0.number == number } ?? false
    }
  }

  private struct Delivery {
    let at: Instant
    let order: Int
    let recipient: ParticipantID
    let message: Message
  }

  let secret: LinkSecret
  let meeting: String
  var random: SeededRandom
  private(set) var now = Instant.zero
  private(set) var clients: [ParticipantID: Client] = [:]
  private var announcements: [(id: ParticipantID, bytes: [UInt8])] = []
  private var queue: [Delivery] = []
  private var order = 0
  /// When each frame was sent.
  private(set) var sentAt: [Instant] = []
  /// Times from sending to receiving.
  var latency: ClosedRange<Int64> = 5...60
  /// Envelopes that were passed on, and calls that sent them.
  private(set) var envelopes = 0
  private(set) var batches = 0
  /// The server's treatment of a message: the messages that it delivers in its place, and how much later.
  var server: (Message, _ recipient: ParticipantID) -> [(message: Message, delay: TimeSpan)] = { message, _ in
    [(message, .zero)]
  }

  init(seed: UInt64, meeting: String = "daily") throws {
    self.meeting = meeting
    random = SeededRandom(seed: seed)
    secret = try LinkSecret()
  }

  subscript(_ name: String) -> Client {
    get throws { try #require(clients[ParticipantID(rawValue: name)]) }
  }

  // MARK: Actions of participants

  @discardableResult
  func join(
    _ name: String, publishes: Bool = true, secret: LinkSecret? = nil, identity: Ed25519.PrivateKey? = nil,
    limits: SFrameSealer.Limits = .standard
  ) throws -> Client {
    let id = ParticipantID(rawValue: name)
    let keys = try KeyExchange(
      meeting: meeting, participant: id, name: name, identity: identity ?? Ed25519.PrivateKey(),
      secret: secret ?? self.secret, limits: limits, now: now)
    let client = Client(id: id, keys: keys)
    clients[id] = client
    for (other, bytes) in announcements { pass(.announcement(bytes, from: other), to: id, ordered: true) }
    // The client that joins announces itself once it has the announcements of the others.
    run(for: .milliseconds(latency.upperBound + 1))
    try keys.announce(now: now)
    if publishes { try keys.publish([1: .camera, 2: .microphone], now: now) }
    drain(client)
    return client
  }

  func leave(_ name: String, isRemoved: Bool = false) throws {
    let client = try self[name]
    client.isThere = false
    announcements.removeAll { $0.id == client.id }
    for other in present { pass(.left(client.id, isRemoved: isRemoved), to: other.id, ordered: true) }
  }

  /// Somebody's tracks start or end.
  func publish(_ tracks: [UInt8: FrameSource], from name: String) throws {
    let client = try self[name]
    try client.keys.publish(tracks, now: now)
    drain(client)
  }

  /// Sends a frame to everybody, those who have left included: packets may still reach them.
  @discardableResult
  func send(from name: String, source: FrameSource = .camera) throws -> Int {
    let client = try self[name]
    let number = sentAt.count
    let plain = Self.plaintext(number, of: client.id)
    var sealed: [UInt8] = []
    try client.keys.seal(
      plain.span, track: source == .camera ? 1 : 2, metadata: Span(), now: now, appendingTo: &sealed)
    sentAt.append(now)
    for other in clients.values.sorted(by: { $0.id < $1.id }) where other.id != client.id {
      pass(.frame(sealed, from: client.id, source: source, number: number), to: other.id)
    }
    drain(client)
    return number
  }

  static func plaintext(_ number: Int, of id: ParticipantID) -> [UInt8] { Array("frame \(number) of \(id)".utf8) }

  var present: [Client] { clients.values.filter(\.isThere).sorted { $0.id < $1.id } }

  // MARK: Time

  /// Lets time pass, and does what is due in it.
  func run(for span: TimeSpan) {
    let end = now + span
    while let next = next(before: end) { step(to: next) }
    now = end
  }

  private func next(before end: Instant) -> Instant? {
    let times = [queue.map(\.at).min()] + present.map(\.keys.deadline)
    guard let next = times.compactMap({ $0 }).min(), next <= end else { return nil }
    return max(next, now)
  }

  private func step(to time: Instant) {
    now = time
    let due = queue.filter { $0.at <= now }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
    queue.removeAll { $0.at <= now }
    for delivery in due { receive(delivery) }
    for client in present where client.keys.deadline.map({ $0 <= now }) ?? false {
      #expect(throws: Never.self) { try client.keys.handleTimeout(now: now) }
      drain(client)
    }
  }

  private func receive(_ delivery: Delivery) {
    guard let client = clients[delivery.recipient] else { return }
    switch delivery.message {
    case .frame(let bytes, let sender, let source, let number): open(bytes, sender, source, number, at: client)
    case .announcement(let bytes, let sender):
      guard client.isThere else { return }
      client.keys.receive(announcement: bytes, from: sender, now: now)
    case .envelope(let bytes, let sender):
      // Somebody who has left may still have the connection over which envelopes come.
      client.keys.receive(envelope: bytes, from: sender, now: now)
    case .left(let id, let isRemoved):
      guard client.isThere else { return }
      #expect(throws: Never.self) { try client.keys.remove(id, isRemoved: isRemoved, now: now) }
    }
    drain(client)
  }

  private func open(
    _ bytes: [UInt8], _ sender: ParticipantID, _ source: FrameSource, _ number: Int, at client: Client
  ) {
    var plain: [UInt8] = []
    do throws(FrameDrop) {
      try client.keys.open(bytes.span, from: sender, source: source, metadata: Span(), now: now, appendingTo: &plain)
      // A frame that opens is the one that was sent: no wrong key is ever used.
      #expect(plain == Self.plaintext(number, of: sender))
      client.opened[sender, default: []].append((number, now))
    } catch {
      #expect(plain.isEmpty)
      client.drops.append(error)
    }
  }

  private func drain(_ client: Client) {
    while let effect = client.keys.pollEffect() {
      switch effect {
      case .announce(let bytes):
        guard client.isThere else { continue }
        announcements.removeAll { $0.id == client.id }
        announcements.append((client.id, bytes))
        for other in present where other.id != client.id {
          pass(.announcement(bytes, from: client.id), to: other.id, ordered: true)
        }
      case .send(let batch):
        guard client.isThere else { continue }
        batches += 1
        envelopes += batch.count
        for envelope in batch {
          pass(.envelope(envelope.bytes, from: client.id), to: envelope.recipient, ordered: true)
        }
      case .notify(let event): client.events.append(event)
      }
    }
  }

  /// Signalling keeps its order; frames overtake each other.
  private func pass(_ message: Message, to recipient: ParticipantID, ordered: Bool = false) {
    for (message, delay) in server(message, recipient) {
      order += 1
      let span = TimeSpan.milliseconds(
        latency.lowerBound + Int64(random.below(Int(latency.upperBound - latency.lowerBound) + 1)))
      var at = now + span + delay
      if ordered, delay == .zero {
        at = now + .milliseconds(latency.upperBound)
      }
      queue.append(Delivery(at: at, order: order, recipient: recipient, message: message))
    }
  }
}
