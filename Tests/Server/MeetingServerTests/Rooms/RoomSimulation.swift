import Basics
import FoundationEssentials
import Meetings
import RTC
import SFU
import Signaling
import Synchronization

@testable import MeetingServer

/// A room in virtual time, with random clients, media plane and disk. The same seed gives the same run.
final class RoomSimulation {
  /// A client with the state that it believes in.
  final class Client {
    enum State { case joining, waiting, entering, inside, outside }

    let request: JoinRequest
    var channel: SignalingChannel
    var state = State.joining
    var belief: RoomBelief?
    /// Whether its socket is up.
    var isAttached = true
    /// Requests with a number that aren't answered yet, and those that are.
    var unanswered: Set<Int> = []
    var answered: Set<Int> = []
    /// The kinds of its requests to the room that aren't answered yet.
    var asked: [Int: RequestKind] = [:]
    /// The parts that may differ from its belief since the last comparison.
    var due = RoomParts.all
    /// Its own state when it was last compared.
    var slots: [SlotInfo] = []
    var permissions: Permissions = []
    var chatSince = 0
    var id: String { request.session.participant }
    /// Whether it gets what everybody gets.
    var isInside: Bool { state == .inside && isAttached }

    init(_ request: JoinRequest) {
      self.request = request
      channel = request.channel
    }
  }

  /// Something that the media plane or the disk has still to do.
  enum Work {
    case negotiate(Client, [MediaTrack])
    case audit(Client)
    case offer(token: UInt64, [MediaTrack])
    case auditRequest(token: UInt64)
    case journal(through: UInt64)
    case admitted(JoinRequest)
    case acknowledge(RoomAcknowledgement)
    case refreshToken(participant: String, JoinGrant)
    case refuseSlots([String], receiver: String)
  }

  struct Socket: SignalingSocket {
    func next() async -> SignalingFrame? { nil }
    func send(_ text: String) {}
    func close(code: UInt16, reason: String) {}
  }

  var random: SplitMix
  var now = RoomTime(instant: .milliseconds(1_000), date: Date(timeIntervalSince1970: 1_800_000_000))
  var record: MeetingRecord
  let tenant: Tenant
  let machine: RoomMachine
  var clients: [Client] = []
  var byChannel: [UInt64: Client] = [:]
  var work: [Work] = []
  var disk = SimulatedDisk()
  var lastRequest = 0
  var lastClient = 0
  /// The mode that nearly all clients come with.
  let isEncrypted: Bool
  /// Whether a session ends with its token.
  let endsPlaces: Bool
  /// Commands that the room has got.
  var commands = 0
  /// Requests by kind: how many were answered with `done`, and how many with a refusal.
  var counts = RequestCounts()
  /// The room as it was last compared.
  var view: RoomView
  var comparedChat: [ChatEntry] = []
  /// Hosts' decisions when the journal was last compared with them.
  var comparedDecisions = RoomSnapshot()
  /// The steps so far, to explain a failure; empty unless the run is traced. Describing a message costs more than it.
  var trace: [String] = []
  let isTraced: Bool
  /// The first thing that is wrong.
  var problem: String?

  init(seed: UInt64, tenant: Tenant, isTraced: Bool = false) throws {
    random = SplitMix(seed)
    self.tenant = tenant
    self.isTraced = isTraced
    let chat = ChatPolicy(history: random.chance(80), maximumMessages: random.chance(30) ? 4 : nil)
    record = MeetingRecord(
      tenant: tenant.id, room: try RoomName("sim"), kind: .named, subject: "s",
      accessLevel: random.chance(40) ? .locked : .everyone, created: now.date,
      capacity: random.chance(60) ? 2 + random.below(5) : nil,
      lobby: LobbySettings(waitsForHost: random.chance(20)), chat: chat)
    isEncrypted = random.chance(40)
    endsPlaces = random.chance(50)
    machine = RoomMachine(record, setup: Self.setup(record, endsPlaces: endsPlaces), now: now)
    view = RoomView(machine)
  }

  static func setup(_ record: MeetingRecord, endsPlaces: Bool) -> RoomMachine.Setup {
    var last = 0
    var limits = MeetingRoom.Limits()
    limits.tokens.endsPlaces = endsPlaces
    return .init(
      identity: .init(id: record.id, tenant: record.tenant, room: record.room), url: "u", limits: limits,
      fileLimit: nil, hasJournal: true,
      makeID: { _ in
        last += 1
        return "\(last)"
      })
  }

  // MARK: Running

  /// One random step, after which everything that must hold is checked.
  func step() {
    guard !machine.isClosed else { return }
    switch random.below(100) {
    case 0..<12 where clients.count { $0.state != .outside } < 8: join()
    case 0..<40: doWork()
    case 40..<82: request()
    case 82..<88: changeSocket()
    case 88..<93: reportMedia()
    case 93..<98: advance()
    default: intervene()
    }
    check()
  }

  /// Finishes everything that is under way, and checks what then must hold.
  func finish() {
    for _ in 0..<1_000 where problem == nil && !machine.isClosed {
      if !work.isEmpty {
        doWork(fails: false)
      } else if let span = machine.deadline, span < .seconds(2) {
        pass(span)
        apply(.timeout)
      } else {
        break
      }
      check()
    }
    guard !machine.isClosed else {
      // The host who ends a meeting gets the answer after that.
      for case .acknowledge(let last) in work { acknowledge(last, isWritten: true) }
      return
    }
    guard problem == nil else { return }
    for client in clients where client.isInside { checkWelcome(of: client) }
    for client in clients where !client.unanswered.isEmpty {
      return fail("no answer to \(client.unanswered.sorted()) of \(client.id) (\(client.state))")
    }
    for client in clients where client.isInside && machine.roster[client.id]?.permissions.contains(.moderate) == true {
      if client.belief?.lobby != machine.lobby.info {
        return fail("\(client.id) believes of the lobby \(client.belief?.lobby as Any), it is \(machine.lobby.info)")
      }
    }
    checkRestart()
  }

  func note(_ what: @autoclosure () -> String) { if isTraced { trace.append(what()) } }

  func fail(_ what: String) { if problem == nil { problem = "command \(commands): \(what)" } }
}
