import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling
import TestTenants

@testable import MeetingServer

/// The machine of a room in virtual time, with clients that keep what they get. Media and disk answer at once.
final class EncryptedRoom {
  /// A client, known by its name.
  final class Client {
    let name: String
    var channel = SignalingChannel(socket: Socket())
    fileprivate(set) var received: [ServerMessage] = []
    /// The code with which its socket was closed.
    fileprivate(set) var failure: SignalingErrorCode?

    fileprivate init(_ name: String) { self.name = name }

    /// Takes out what came since the last time.
    func drain() -> [ServerMessage] {
      defer { received = [] }
      return received
    }

    /// Takes out the envelopes that came, by message.
    func drainEnvelopes() -> [[ReceivedEnvelope]] {
      drain().compactMap { if case .keyEnvelopes(let envelopes) = $0 { envelopes } else { nil } }
    }
  }

  fileprivate struct Socket: SignalingSocket {
    func next() async -> SignalingFrame? { nil }
    func send(_ text: String) {}
    func close(code: UInt16, reason: String) {}
  }

  /// One for all rooms, since its key takes long to make.
  private static let anyTenant = Result {
    try TestTenants.make(
      name: "t", policy: TenantPolicy(signIn: .token), now: Date(timeIntervalSince1970: 1_800_000_000))
  }

  var now = RoomTime(instant: .milliseconds(1_000), date: Date(timeIntervalSince1970: 1_800_000_000))
  let record: MeetingRecord
  var tenant: Tenant
  let machine: RoomMachine
  private(set) var clients: [String: Client] = [:]
  private var byChannel: [UInt64: Client] = [:]
  private(set) var counts: [RoomCounter: Int] = [:]
  /// Everything that was logged, reported or written to the journal, as text.
  private(set) var records: [String] = []
  /// The mode that the store has already; nil for none.
  var storedMode: Bool?
  /// The files that the room had removed.
  private(set) var removedFiles: [String] = []
  /// Whether the store can't be written.
  var storeFails = false

  init(isEncrypted: Bool? = nil, accessLevel: AccessLevel = .everyone, participants: Int = 500) throws {
    tenant = try Self.anyTenant.get()
    var record = MeetingRecord(
      tenant: tenant.id, room: try RoomName("r"), kind: .named, subject: "s", accessLevel: accessLevel,
      created: now.date)
    record.isEncrypted = isEncrypted
    self.record = record
    var limits = MeetingRoom.Limits()
    limits.participants = participants
    var last = 0
    machine = RoomMachine(
      record,
      setup: .init(
        identity: .init(id: record.id, tenant: record.tenant, room: record.room), url: "u", limits: limits,
        fileLimit: nil, hasJournal: true,
        makeID: { _ in
          last += 1
          return "\(last)"
        }), now: now)
  }

  /// Lets a client in, or into the lobby. `isOffered` is whether the media plane takes its offer.
  @discardableResult
  func join(
    _ name: String, e2ee: Bool? = true, role: Role = .publisher, isGuest: Bool = false, isOffered: Bool = true
  ) throws(MeetingRoom.Refusal) -> Client {
    let client = Client(name)
    let request = request(client, e2ee, role, isGuest)
    machine.begin(now)
    defer { carryOut(machine.drainEffects()) }
    let decision = try machine.beginJoin(request, quota: nil)
    clients[name] = client
    byChannel[client.channel.id] = client
    guard case .negotiates = decision else { return client }
    _ = try machine.joinAnswered(
      name,
      isOffered
        ? .success(OfferAnswer(sdp: "", accepted: [:], slots: [], rejected: [:])) : .failure(.badOffer("no")))
    if let mode = machine.undecidedMode {
      try machine.modeDecided(storeFails ? nil : storedMode ?? mode, askedBy: name)
    }
    try machine.completeJoin(of: name, iceServers: nil)
    return client
  }

  private func request(_ client: Client, _ e2ee: Bool?, _ role: Role, _ isGuest: Bool) -> JoinRequest {
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: TokenID(rawValue: "token \(client.name)"), target: .anyRoom, role: role,
      user: client.name, expires: .distantFuture, isGuest: isGuest)
    var request = JoinRequest(
      admission: Admission(meeting: record, tenant: tenant, grant: grant), name: client.name,
      join: .init(token: "", name: client.name, offer: "", tracks: [], e2ee: e2ee), channel: client.channel)
    request.session = .init(participant: client.name, resumeToken: "resume \(client.name)")
    return request
  }

  /// A message of a client, of the size that it has on the wire.
  func send(_ message: ClientMessage, from client: Client, id: Int? = nil) {
    let size = (try? SignalingEncoder().encode(message))?.utf8.count ?? 0
    apply(.message(message, id: id, size: size, from: client.name, over: client.channel))
  }

  /// Lets time pass, and the room do what is due.
  func pass(_ span: TimeSpan) {
    let end = now.instant + span
    while let due = machine.deadline, now.instant + due <= end {
      advance(due)
      apply(.timeout)
    }
    advance(end - now.instant)
  }

  private func advance(_ span: TimeSpan) {
    now.instant = now.instant + span
    now.date += span.seconds
    machine.begin(now)
  }

  /// Does something over HTTP.
  func request<Value, Failure>(_ body: (RoomMachine) throws(Failure) -> Value) throws(Failure) -> Value {
    machine.begin(now)
    defer { carryOut(machine.drainEffects()) }
    return try body(machine)
  }

  /// The client loses its socket.
  func detach(_ client: Client) { apply(.detach(participant: client.name, client.channel)) }

  /// The client resumes over another socket.
  func resume(_ client: Client) throws(MeetingRoom.Refusal) {
    client.channel = SignalingChannel(socket: Socket())
    byChannel[client.channel.id] = client
    machine.begin(now)
    defer { carryOut(machine.drainEffects()) }
    try machine.resume(participant: client.name, over: client.channel, origin: nil)
  }

  func apply(_ command: RoomCommand) { carryOut(machine.apply(command, now: now)) }

  private func carryOut(_ effects: [RoomEffect]) {
    for effect in effects {
      switch effect {
      case .send(let message, let channel), .admit(let channel, let message): deliver(message, channel)
      case .broadcast(let message, let channels): for channel in channels { deliver(message, channel) }
      case .fail(let channel, let refusal): byChannel[channel.id]?.failure = refusal.code
      case .count(let counter): count(counter)
      case .log, .event, .journal: records.append("\(effect)")
      case .removeFiles(let ids): removedFiles += ids
      case .lobby(.admitted(let request)): admit(request)
      case .wait(.audit(let token)): apply(.audited(token: token))
      default: break
      }
    }
  }

  private func admit(_ request: JoinRequest) {
    do throws(MeetingRoom.Refusal) {
      machine.begin(now)
      _ = try machine.beginJoin(request, quota: nil)
      let id = request.session.participant
      _ = try machine.joinAnswered(id, .success(OfferAnswer(sdp: "", accepted: [:], slots: [], rejected: [:])))
      try machine.completeJoin(of: id, iceServers: nil)
    } catch {
      byChannel[request.channel.id]?.failure = error.answer.code
    }
    carryOut(machine.drainEffects())
  }

  private func deliver(_ message: ServerMessage, _ channel: SignalingChannel) {
    guard let client = byChannel[channel.id], client.channel.id == channel.id else { return }
    client.received.append(message)
  }

  private func count(_ counter: RoomCounter) {
    switch counter {
    case .keyEnvelopes(let count): counts[.keyEnvelopes(0), default: 0] += count
    case .droppedKeyEnvelopes(let count): counts[.droppedKeyEnvelopes(0), default: 0] += count
    default: counts[counter, default: 0] += 1
    }
  }
}
