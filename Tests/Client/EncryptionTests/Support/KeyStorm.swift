import Basics
import Crypto

@testable import Encryption

/// An encrypted meeting in a storm, in steps of 10 ms of virtual time: people come, go, are removed, rename themselves,
/// begin and end tracks and wear their keys out, all at once.
///
/// Between them is a server in memory. Changes of the roster reach each client in order. Envelopes are in order
/// only between two clients: they overtake those of others and the roster, get lost and come twice. Sockets break, and
/// their clients learn what they missed when they are back.
final class KeyStorm {
  struct Weather {
    /// Most steps that the roster, envelopes and frames take.
    var roster = 1
    var envelopes = 1
    var frames = 1
    /// Of 100 envelopes, and of 100 frames.
    var lost = 0
    var repeated = 0
    /// Whether sockets break, for up to 7 s.
    var breaks = false

    static let calm = Weather()
    static let slow = Weather(roster: 80, envelopes: 250, frames: 30)
    static let wild = Weather(roster: 150, envelopes: 300, frames: 40, lost: 15, repeated: 15, breaks: true)
  }

  final class Client {
    let id: ParticipantID
    let identity: Ed25519.PrivateKey
    let keys: KeyExchange
    let joinedAt: Int
    var isPresent = true
    /// The step of its first announcement.
    var announcesAt: Int
    var isAnnounced = false
    var isPublishing: Bool
    /// The step at which its socket is back; nil while it has one.
    var returnsAt: Int?
    /// Counts sockets: what was on its way over an earlier one is gone.
    var socket = 0
    /// When it learned that somebody has gone, and had to have shut them out.
    var shutsOutAt: [ParticipantID: Int] = [:]
    var opened: Set<Int> = []

    init(_ id: ParticipantID, _ identity: Ed25519.PrivateKey, _ keys: KeyExchange, now: Int, announcesAt: Int) {
      self.id = id
      self.identity = identity
      self.keys = keys
      joinedAt = now
      self.announcesAt = announcesAt
      isPublishing = true
    }
  }

  private enum Message {
    case announcement([UInt8], from: ParticipantID)
    case left(ParticipantID, isRemoved: Bool)
    case envelope([UInt8], from: ParticipantID)
    case frame([UInt8], number: Int)
  }

  private struct Delivery {
    let recipient: ParticipantID
    let socket: Int
    let message: Message
  }

  private struct Pair: Hashable {
    let from: ParticipantID
    let to: ParticipantID
  }

  private struct SentFrame {
    let sender: ParticipantID
    let step: Int
    let plaintext: [UInt8]
  }

  private static let stepsPerFrame = 50
  private static let stepsPerTimeout = 5
  /// The most that a leave and a removal take to shut somebody out, with a timer's delay.
  private static let (leaveSteps, removalSteps) = (305, 205)
  /// How long somebody who has gone goes on receiving frames.
  private static let afterlife = 700

  let people: Int
  var weather: Weather
  private(set) var clients: [ParticipantID: Client] = [:]
  /// Sentences about what must not be.
  private(set) var violations: [String] = []
  private let secret: LinkSecret
  private var random: SeededRandom
  private var step = 0
  private var queue: [Int: [Delivery]] = [:]
  private var announcements: [ParticipantID: [UInt8]] = [:]
  private var goneAt: [ParticipantID: Int] = [:]
  private var rosterAt: [ParticipantID: Int] = [:]
  private var envelopesAt: [Pair: Int] = [:]
  private var frames: [SentFrame] = []
  private var made = 0

  init(seed: UInt64, people: Int, weather: Weather) throws {
    self.people = people
    self.weather = weather
    random = SeededRandom(seed: seed)
    secret = try LinkSecret()
  }

  private var now: Instant { .milliseconds(Int64(step) * 10) }
  private(set) var present: [Client] = []

  // MARK: Time

  func run(steps: Int, actions: Bool) throws {
    for _ in 0..<steps {
      step += 1
      for client in present {
        if let returns = client.returnsAt, step >= returns { try resume(client) }
        if !client.isAnnounced, step >= client.announcesAt { try announce(client) }
      }
      for delivery in queue.removeValue(forKey: step) ?? [] { try deliver(delivery) }
      if step % Self.stepsPerTimeout == 0 { try handleTimeouts() }
      if step % Self.stepsPerFrame == 0 { for client in present { send(client) } }
      if actions, random.below(10) == 0 { try act() }
    }
  }

  private func handleTimeouts() throws {
    for client in present where client.keys.deadline.map({ $0 <= now }) ?? false {
      try client.keys.handleTimeout(now: now)
      drain(client)
    }
  }

  /// The storm is over: every socket is back, and nothing is lost any more.
  func calmDown() throws {
    weather = .calm
    for client in present where client.returnsAt != nil { try resume(client) }
  }

  private func act() throws {
    let present = present
    guard let somebody = present.isEmpty ? nil : present[random.below(present.count)] else { return try join() }
    switch random.below(10) {
    case 0...3 where present.count < people: try join()
    case 4...5 where present.count > 2:
      leave(somebody, isRemoved: random.below(2) == 0)
    case 6 where present.count > 2:
      // Out and in again, the same device.
      leave(somebody, isRemoved: false)
      try join(somebody.identity)
    case 7 where somebody.isAnnounced:
      somebody.isPublishing = random.below(4) > 0
      try publish(somebody, [[1: .camera, 2: .microphone], [2: .microphone, 1: .camera, 15: .chat], [1: .camera]])
    case 8 where somebody.isAnnounced:
      try somebody.keys.rename("name \(random.below(100))", now: now)
      drain(somebody)
    case 9 where weather.breaks && somebody.returnsAt == nil:
      somebody.socket += 1
      somebody.returnsAt = step + 1 + random.below(700)
    default: break
    }
  }

  // MARK: People

  func join(_ identity: Ed25519.PrivateKey? = nil) throws {
    made += 1
    let id = ParticipantID(rawValue: "p\(made)")
    let identity = try identity ?? Ed25519.PrivateKey()
    // Some wear a key out in seconds.
    let limits = SFrameSealer.Limits(frames: random.below(4) == 0 ? 24 : 1 << 24, blocks: 1 << 35)
    let keys = try KeyExchange(
      meeting: "storm", participant: id, name: "\(id)", identity: identity, secret: secret, limits: limits, now: now)
    let client = Client(id, identity, keys, now: step, announcesAt: step + random.below(weather.roster))
    clients[id] = client
    present.append(client)
    for (other, bytes) in announcements.sorted(by: { $0.key < $1.key }) {
      keys.receive(announcement: bytes, from: other, now: now)
    }
    drain(client)
  }

  private func announce(_ client: Client) throws {
    client.isAnnounced = true
    try client.keys.announce(now: now)
    client.isPublishing = random.below(4) > 0
    try publish(client, [[1: .camera, 2: .microphone]])
  }

  private func publish(_ client: Client, _ choices: [[UInt8: FrameSource]]) throws {
    try client.keys.publish(client.isPublishing ? choices[random.below(choices.count)] : [:], now: now)
    drain(client)
  }

  private func leave(_ client: Client, isRemoved: Bool) {
    client.isPresent = false
    present.removeAll { $0 === client }
    announcements[client.id] = nil
    goneAt[client.id] = step
    for other in present { tell(other, .left(client.id, isRemoved: isRemoved)) }
  }

  /// A client learns by one answer what it has missed.
  private func resume(_ client: Client) throws {
    client.returnsAt = nil
    for id in client.keys.members where clients[id]?.isPresent != true { try remove(id, isRemoved: false, at: client) }
    client.keys.resume(isAnnounced: announcements[client.id] == client.keys.ownBytes, now: now)
    for (other, bytes) in announcements.sorted(by: { $0.key < $1.key }) where other != client.id {
      client.keys.receive(announcement: bytes, from: other, now: now)
    }
    drain(client)
  }

  private func remove(_ id: ParticipantID, isRemoved: Bool, at client: Client) throws {
    client.shutsOutAt[id] = client.shutsOutAt[id] ?? step + (isRemoved ? Self.removalSteps : Self.leaveSteps)
    try client.keys.remove(id, isRemoved: isRemoved, now: now)
  }

  // MARK: Server

  private func drain(_ client: Client) {
    while let effect = client.keys.pollEffect() {
      if case .notify(.rosterMismatch(let id)) = effect, client.isPresent {
        violations.append("\(client.id) took \(id)'s roster for another at step \(step)")
      }
      // Nothing of somebody who has gone, or has no socket, reaches the server.
      guard client.isPresent, client.returnsAt == nil else { continue }
      switch effect {
      case .announce(let bytes):
        announcements[client.id] = bytes
        for other in present where other.id != client.id { tell(other, .announcement(bytes, from: client.id)) }
      case .send(let envelopes): for envelope in envelopes { pass(envelope, from: client.id) }
      case .notify: break
      }
    }
  }

  private func tell(_ client: Client, _ message: Message) {
    guard client.returnsAt == nil else { return }
    let at = max(rosterAt[client.id] ?? 0, step + 1 + random.below(weather.roster))
    rosterAt[client.id] = at
    queue[at, default: []].append(Delivery(recipient: client.id, socket: client.socket, message: message))
  }

  private func pass(_ envelope: KeyEnvelope, from sender: ParticipantID) {
    guard let recipient = clients[envelope.recipient], random.below(100) >= weather.lost else { return }
    let pair = Pair(from: sender, to: recipient.id)
    let at = max(envelopesAt[pair] ?? 0, step + 1 + random.below(weather.envelopes))
    envelopesAt[pair] = at
    let delivery = Delivery(
      recipient: recipient.id, socket: recipient.socket, message: .envelope(envelope.bytes, from: sender))
    if recipient.returnsAt == nil { queue[at, default: []].append(delivery) }
    if random.below(100) < weather.repeated { queue[at + random.below(200), default: []].append(delivery) }
  }

  private func deliver(_ delivery: Delivery) throws {
    guard let client = clients[delivery.recipient] else { return }
    switch delivery.message {
    case .frame(let bytes, let number): open(bytes, number, at: client)
    case .envelope(let bytes, let sender):
      // Somebody who has gone may go on listening to the server.
      guard client.socket == delivery.socket else { return }
      client.keys.receive(envelope: bytes, from: sender, now: now)
    case .announcement(let bytes, let sender):
      guard client.isPresent, client.socket == delivery.socket else { return }
      client.keys.receive(announcement: bytes, from: sender, now: now)
    case .left(let id, let isRemoved):
      guard client.isPresent, client.socket == delivery.socket else { return }
      try remove(id, isRemoved: isRemoved, at: client)
    }
    drain(client)
  }

  // MARK: Frames

  /// Sends a frame to everybody, those who have gone included; nil where it must not leave.
  @discardableResult func send(_ client: Client) -> Int? {
    let number = frames.count
    let plaintext = Array("frame \(number) of \(client.id)".utf8)
    var sealed: [UInt8] = []
    do throws(FrameDrop) {
      try client.keys.seal(plaintext.span, track: 1, metadata: Span(), now: now, appendingTo: &sealed)
    } catch {
      if !sealed.isEmpty { violations.append("\(client.id) wrote something of a frame that did not leave") }
      return nil
    }
    frames.append(SentFrame(sender: client.id, step: step, plaintext: plaintext))
    for other in clients.values.sorted(by: { $0.id < $1.id }) where other.id != client.id {
      if let gone = goneAt[other.id], step > gone + Self.afterlife { continue }
      guard random.below(100) >= weather.lost else { continue }
      let at = step + 1 + random.below(weather.frames)
      queue[at, default: []].append(Delivery(recipient: other.id, socket: 0, message: .frame(sealed, number: number)))
    }
    return number
  }

  private func open(_ bytes: [UInt8], _ number: Int, at client: Client) {
    let frame = frames[number]
    var plain: [UInt8] = []
    do throws(FrameDrop) {
      try client.keys.open(
        bytes.span, from: frame.sender, source: .camera, metadata: Span(), now: now, appendingTo: &plain)
    } catch {
      if !plain.isEmpty { violations.append("\(client.id) has something of frame \(number) that did not open") }
      return
    }
    client.opened.insert(number)
    if plain != frame.plaintext { violations.append("\(client.id) opened frame \(number) with a wrong key") }
    guard let gone = goneAt[client.id], let sender = clients[frame.sender] else { return }
    let end = sender.shutsOutAt[client.id] ?? (sender.joinedAt >= gone ? sender.joinedAt : .max)
    if frame.step > end { violations.append("\(client.id) has gone and opened frame \(number) of \(frame.sender)") }
  }
}
