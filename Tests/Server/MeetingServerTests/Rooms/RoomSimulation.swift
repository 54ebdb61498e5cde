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
    /// The state that its belief was last compared with; nil when it has got a message since.
    var compared: Compared?
    var id: String { request.session.participant }

    init(_ request: JoinRequest) {
      self.request = request
      channel = request.channel
    }
  }

  /// Everything but a belief that decides how a comparison ends.
  struct Compared: Equatable {
    /// The numbers of the room's view and chat.
    let view: Int
    let chat: Int
    let slots: [SlotInfo]
    let permissions: Permissions
    let since: Int
    let votesArePending: Bool
    let chatIsPending: Bool
  }

  /// Something that the media plane or the disk has still to do.
  enum Work {
    case negotiate(Client, [MediaTrack])
    case audit(Client)
    case offer(token: UInt64, [MediaTrack])
    case auditRequest(token: UInt64)
    case journal(through: UInt64)
    case admitted(JoinRequest)
  }

  /// The journal as a disk would have it.
  struct Disk {
    var values: [String: String] = [:]
    var messages: [Int: KeptMessage] = [:]
    var hasEnded = false
  }

  private struct Socket: SignalingSocket {
    func next() async -> SignalingFrame? { nil }
    func send(_ text: String) {}
    func close(code: UInt16, reason: String) {}
  }

  var random: SplitMix
  var now = RoomTime(instant: .milliseconds(1_000), date: Date(timeIntervalSince1970: 1_800_000_000))
  var record: MeetingRecord
  let tenant: Tenant
  let machine: RoomMachine
  private(set) var clients: [Client] = []
  private var byChannel: [UInt64: Client] = [:]
  private var work: [Work] = []
  private(set) var disk = Disk()
  private var lastRequest = 0
  /// The mode that nearly all clients come with.
  private let isEncrypted: Bool
  /// The steps in which the room ran.
  private(set) var steps = 0
  /// The room as it was last compared, and how often it has changed.
  private var view: RoomView
  private var viewNumber = 0
  private var comparedChat: [ChatEntry] = []
  private var chatNumber = 0
  /// The steps so far, to explain a failure; empty unless the run is traced. Describing a message costs more than it.
  private(set) var trace: [String] = []
  private let isTraced: Bool
  /// The first thing that is wrong.
  private(set) var problem: String?

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
    machine = RoomMachine(record, setup: Self.setup(record), now: now)
    view = RoomView(machine)
  }

  static func setup(_ record: MeetingRecord) -> RoomMachine.Setup {
    var last = 0
    return .init(
      identity: .init(id: record.id, tenant: record.tenant, room: record.room), url: "u", limits: .init(),
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
    steps += 1
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
    }
    check()
    guard problem == nil, !machine.isClosed else { return }
    for client in attached { checkWelcome(of: client) }
    for client in clients where !client.unanswered.isEmpty {
      return fail("no answer to \(client.unanswered.sorted()) of \(client.id) (\(client.state))")
    }
    for client in attached where machine.roster[client.id]?.permissions.contains(.moderate) == true {
      if client.belief?.lobby != machine.lobby.info {
        return fail("\(client.id) believes of the lobby \(client.belief?.lobby as Any), it is \(machine.lobby.info)")
      }
    }
    checkRestart()
  }

  private var attached: [Client] { clients.filter { $0.state == .inside && $0.isAttached } }

  private func join() {
    let roles: [Role] = [.moderator, .publisher, .publisher, .subscriber, .organizer, .hidden]
    let number = clients.count
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: TokenID(rawValue: "token \(number)"), target: .anyRoom,
      role: roles[random.below(roles.count)], user: random.chance(70) ? "user \(number)" : nil,
      expires: .distantFuture, isGuest: random.chance(30))
    var request = JoinRequest(
      admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N\(number)",
      join: .init(token: "", name: "N\(number)", offer: "o", tracks: tracks(), e2ee: isEncrypted != random.chance(4)),
      channel: SignalingChannel(socket: Socket()))
    request.session = .init(participant: "p\(number)", resumeToken: "r\(number)")
    let client = Client(request)
    clients.append(client)
    byChannel[client.channel.id] = client
    enter(client, request)
  }

  private func tracks() -> [TrackDescription] {
    var tracks: [TrackDescription] = []
    if random.chance(60) { tracks.append(.init(mid: "0", source: .microphone, muted: random.chance(30))) }
    if random.chance(50) { tracks.append(.init(mid: "1", source: .camera, muted: random.chance(30))) }
    if random.chance(15) { tracks.append(.init(mid: "2", source: .screen)) }
    return tracks
  }

  private func enter(_ client: Client, _ request: JoinRequest) {
    note("join \(client.id) as \(request.admission.grant.role) (\(request.isAdmitted ? "let in" : "new"))")
    machine.begin(now)
    do throws(MeetingRoom.Refusal) {
      switch try machine.beginJoin(request, quota: nil) {
      case .waits: client.state = .waiting
      case .negotiates(let tracks): work.append(.negotiate(client, tracks))
      }
    } catch {
      note("  refused: \(error)")
      leave(client)
    }
    carryOut(machine.drainEffects())
  }

  private func leave(_ client: Client) {
    client.state = .outside
    client.unanswered = []
  }

  /// Lets the media plane or the disk do the next thing, not always the oldest.
  private func doWork(fails: Bool = true) {
    guard !work.isEmpty else { return advance() }
    var index = random.below(work.count)
    // A disk writes in order.
    if case .journal = work[index] {
      index = work.firstIndex { if case .journal = $0 { true } else { false } } ?? index
    }
    let item = work.remove(at: index)
    machine.begin(now)
    switch item {
    case .negotiate(let client, let tracks):
      note("negotiated \(client.id)")
      let isRefused = fails && random.chance(5)
      complete(client) { () throws(MeetingRoom.Refusal) in
        let isAudited = try machine.joinAnswered(
          client.id, isRefused ? .failure(.badOffer("no")) : .success(answer(tracks)))
        if isAudited {
          work.append(.audit(client))
        } else {
          try completeJoin(client)
        }
      }
    case .audit(let client):
      note("audited \(client.id)")
      complete(client) { () throws(MeetingRoom.Refusal) in try completeJoin(client) }
    case .offer(let token, let tracks):
      note("offer answered \(token)")
      apply(
        .offerAnswered(
          token: token, fails && random.chance(10) ? .failure(.unknownParticipant) : .success(answer(tracks))))
    case .auditRequest(let token):
      note("request audited \(token)")
      apply(.audited(token: token))
    case .journal(let write):
      note("journal written \(write)")
      apply(.journalWritten(through: write, !fails || random.chance(90)))
    case .admitted(let request):
      guard let client = clients.first(where: { $0.id == request.session.participant }) else { return }
      enter(client, request)
    }
    carryOut(machine.drainEffects())
  }

  private func completeJoin(_ client: Client) throws(MeetingRoom.Refusal) {
    if let mode = machine.undecidedMode { try machine.modeDecided(mode, askedBy: client.id) }
    try machine.completeJoin(of: client.id, iceServers: nil)
  }

  private func complete(_ client: Client, _ body: () throws(MeetingRoom.Refusal) -> Void) {
    do throws(MeetingRoom.Refusal) {
      try body()
    } catch {
      note("  refused: \(error)")
      leave(client)
    }
  }

  private func answer(_ tracks: [MediaTrack]) -> OfferAnswer {
    let codecs: [MediaKind: [NegotiatedCodec]] = [
      .audio: ["opus"].compactMap { TestMediaPlane.codec($0) },
      .video: (random.chance(20) ? ["H264"] : ["VP8", "H264"]).compactMap { TestMediaPlane.codec($0) },
    ]
    var slots: [NegotiatedSlot] = []
    for number in 0..<random.below(3) {
      slots.append(.init(mid: MID(rawValue: "a\(number)"), kind: .audio, codecs: codecs[.audio] ?? []))
    }
    for number in 0..<random.below(4) {
      slots.append(.init(mid: MID(rawValue: "v\(number)"), kind: .video, codecs: codecs[.video] ?? []))
    }
    let accepted = tracks.map { ($0.offer.mid, codecs[MediaKind($0.source.kind)] ?? []) }
    return OfferAnswer(sdp: "", accepted: Dictionary(uniqueKeysWithValues: accepted), slots: slots, rejected: [:])
  }

  // MARK: Clients

  private func request() {
    let talking = clients.filter { $0.isAttached && $0.state != .outside && $0.state != .joining }
    guard let client = random.element(talking) else { return join() }
    lastRequest += 1
    let id = lastRequest
    let other = random.element(clients)?.id ?? "p0"
    let poll = 1 + random.below(3)
    let message: ClientMessage
    var hasAnswer = true
    switch random.below(28) {
    case 0: message = .room(.raiseHand(random.chance(60), participant: random.chance(20) ? other : nil), id: id)
    case 1: message = .room(.lowerHands, id: id)
    case 2: message = .room(.react(.clap), id: id)
    case 3:
      let results: [PollResults] = [.always, .whenClosed, .moderators]
      message = .room(
        .createPoll(.init(question: "qq", options: ["a", "b"], results: results[random.below(3)])), id: id)
    case 4: message = .room(.setPoll(poll, isOpen: random.chance(50)), id: id)
    case 5: message = .room(.removePoll(poll), id: id)
    case 6, 7: message = .room(.vote(poll: poll, options: random.chance(80) ? [random.below(2)] : []), id: id)
    case 8: message = .room(.muteParticipant(other, sources: [.microphone, .screen]), id: id)
    case 9: message = .room(.stopTracks(other, sources: [.camera]), id: id)
    case 10:
      message = .room(
        .muteAll(
          sources: [.microphone], except: random.chance(30) ? [other] : [], includingLater: random.chance(50),
          mayUnmute: random.chance(50)), id: id)
    case 11: message = .room(.liftMuteAll, id: id)
    case 12: message = .room(.askToUnmute(other, sources: [.microphone]), id: id)
    case 13: message = .room(.removeParticipant(other, ban: random.chance(40)), id: id)
    case 14:
      message = .room(.setRole(other, role: ["moderator", "publisher", "subscriber"][random.below(3)]), id: id)
    case 15:
      let names = ["publishAudio", "publishVideo", "subscribe", "chat", "moderate"].filter { _ in random.chance(70) }
      message = .room(.setPermissions(other, permissions: names), id: id)
    case 16: message = .room(.spotlight(random.chance(70) ? other : nil), id: id)
    case 17:
      message = .room(.chat(.edit(random.element(Array(chatIDs)) ?? 1, text: "edited \(id)")), id: id)
    case 18: message = .room(.chat(.delete(random.element(Array(chatIDs)) ?? 1)), id: id)
    case 19:
      message = .room(.chat(.typing(random.chance(70), to: random.chance(20) ? other : nil)), id: id)
      hasAnswer = client.state == .waiting
    case 20: message = .chat(text: "m\(id)", to: random.chance(25) ? other : nil, id: id)
    case 21: message = .mute(mid: "\(random.below(3))", muted: random.chance(50), id: id)
    case 22: message = random.chance(50) ? .admit(.all, id: id) : .deny(.some([other]), id: id)
    case 23: message = random.chance(30) ? .lock(random.chance(50), id: id) : .signal(.init(type: "t"), to: nil, id: id)
    case 25, 26:
      message =
        random.chance(50)
        ? .announce("A\(id)")
        : .keyEnvelopes([.init(to: other, envelope: "E\(id)"), .init(to: "p0", envelope: "F\(id)")])
      let isHidden = machine.roster[client.id]?.isHidden == true
      hasAnswer = client.state == .waiting || client.state == .inside && (isHidden || !machine.isEncrypted)
    case 24:
      message = .offer(.init(id: id, offer: "o", tracks: tracks()))
      hasAnswer = client.state == .waiting
    default:
      message = random.chance(10) ? .leave : .rename(name: "N\(id)")
      hasAnswer = client.state == .waiting && message != .leave
    }
    note("\(client.id) (\(client.state)): \(message)")
    // Participants on their way in aren't answered: nobody knows yet what they may.
    if hasAnswer, client.state != .entering { client.unanswered.insert(id) }
    apply(.message(message, id: id, size: 60, from: client.id, over: client.channel))
  }

  private var chatIDs: [Int] { machine.chat.all.map(\.id) }

  private func changeSocket() {
    guard let client = random.element(clients.filter { $0.state != .outside && $0.state != .joining }) else { return }
    if client.isAttached {
      note("\(client.id) loses its socket")
      detach(client)
    } else if client.state == .inside {
      note("\(client.id) resumes")
      client.channel = SignalingChannel(socket: Socket())
      byChannel[client.channel.id] = client
      client.isAttached = true
      machine.begin(now)
      do throws(MeetingRoom.Refusal) {
        try machine.resume(participant: client.id, over: client.channel, origin: nil)
      } catch {
        leave(client)
      }
      carryOut(machine.drainEffects())
    }
  }

  private func detach(_ client: Client) {
    client.isAttached = false
    client.unanswered = []
    if client.state == .waiting || client.state == .entering { client.state = .outside }
    apply(.detach(participant: client.id, client.channel))
  }

  // MARK: Media plane, time and administration

  private func reportMedia() {
    guard let client = random.element(clients.filter { $0.state == .inside }) else { return }
    note("media of \(client.id)")
    let id = ParticipantID(rawValue: client.id)
    switch random.below(5) {
    case 0: apply(.media(.lost(id)))
    case 1: apply(.media(.connected(id)))
    case 2: apply(.media(.speakers([.init(participant: id, level: 0.5)])))
    case 3: apply(.media(.quality(id, .good)))
    default:
      guard let track = machine.roster[client.id]?.publications.first(where: { $0.info.kind == .video }),
        let codec = TestMediaPlane.codec(random.chance(50) ? "VP8" : "H264")
      else { return }
      apply(.media(.codecChanged(PublicationID(rawValue: track.info.id), codec)))
    }
  }

  private func advance() {
    if let deadline = machine.deadline, random.chance(70) {
      pass(min(deadline, .seconds(40)))
    } else {
      pass(.milliseconds(Int64(random.below(3_000))))
    }
    note("time \(now.instant.nanoseconds / 1_000_000)")
    apply(.timeout)
  }

  private func pass(_ span: TimeSpan) {
    now.instant = now.instant + span
    now.date += Double(span.nanoseconds) / 1e9
  }

  private func intervene() {
    switch random.below(8) {
    case 0:
      guard let client = random.element(clients) else { return }
      note("token of \(client.id) revoked")
      apply(.revokeToken(client.request.admission.grant.id, tenant.id))
    case 1 where random.chance(15):
      note("end")
      apply(.end(.removed, "over"))
    default:
      record = MeetingRecord(
        id: record.id, tenant: record.tenant, room: record.room, kind: record.kind,
        subject: "s\(random.below(3))", accessLevel: random.chance(50) ? .locked : .everyone, created: record.created,
        capacity: record.capacity, lobby: LobbySettings(waitsForHost: random.chance(20)), chat: record.chat,
        revision: record.revision + 1)
      note("meeting changed to \(record.accessLevel)")
      apply(.changeMeeting(record))
    }
  }

  // MARK: Effects

  private func apply(_ command: RoomCommand) { carryOut(machine.apply(command, now: now)) }

  private func carryOut(_ effects: [RoomEffect]) {
    var closed: [SignalingChannel] = []
    for effect in effects {
      switch effect {
      case .send(let message, let channel), .admit(let channel, let message): deliver(message, over: channel)
      case .broadcast(let message, let channels): for channel in channels { deliver(message, over: channel) }
      case .fail(let channel, _), .end(let channel, _, _), .close(let channel): closed.append(channel)
      case .journal(let what): write(what)
      case .awaitJournal(let write): work.append(.journal(through: write))
      case .acknowledge(let acknowledgement):
        deliver(.room(.done(id: acknowledgement.id)), over: acknowledgement.channel)
        if acknowledgement.ending != nil { closed.append(acknowledgement.channel) }
      case .lobby(.admitted(let request)):
        if let client = clients.first(where: { $0.id == request.session.participant }) {
          client.state = .entering
          client.unanswered = []
        }
        work.append(.admitted(request))
      case .wait(.audit(let token)): work.append(.auditRequest(token: token))
      case .wait(.offer(let token, _, _, let tracks)): work.append(.offer(token: token, tracks))
      case .media, .listen, .leftMeetingGoesOn, .event, .log, .count, .removeFiles, .removeAllFiles, .resumeFiles,
        .sessionEnded, .left, .ban, .refreshToken, .lobby(.emptied), .closed:
        break
      }
    }
    for channel in closed {
      guard let client = byChannel[channel.id], client.channel.id == channel.id else { continue }
      leave(client)
      if client.isAttached { detach(client) }
    }
  }

  private func deliver(_ message: ServerMessage, over channel: SignalingChannel) {
    guard let client = byChannel[channel.id], client.channel.id == channel.id else { return }
    switch message {
    // It went away while its media was negotiated.
    case .welcome where client.state == .outside: return
    case .welcome(let welcome):
      guard client.state == .joining || client.state == .waiting || client.state == .entering else {
        return fail("\(client.id) is welcomed twice")
      }
      client.state = .inside
      client.belief = RoomBelief(welcome)
      client.compared = nil
    case .waiting, .error, .pong, .ended: break
    default:
      guard client.state == .inside || client.state == .outside else {
        return fail("\(client.id), who isn't in, gets \(message)")
      }
      client.belief?.apply(message)
      client.compared = nil
    }
    guard let id = message.answeredRequest else { return }
    if !client.answered.insert(id).inserted { return fail("request \(id) of \(client.id) is answered twice") }
    client.unanswered.remove(id)
  }

  private func write(_ what: RunningWrite.What) {
    switch what {
    case .runs: break
    case .value(let text, let name): disk.values[name] = text
    case .noValue(let name): disk.values[name] = nil
    case .message(let message): disk.messages[message.id] = message
    case .forget(let last): disk.messages = disk.messages.filter { $0.key > last }
    case .end: disk.hasEnded = true
    }
  }

  // MARK: Checks

  /// Whether something waits for the disk.
  private var isWriting: Bool { work.contains { if case .journal = $0 { true } else { false } } }

  private func check() {
    guard problem == nil else { return }
    let capacity = record.capacity ?? 500
    // A lower capacity sends nobody away, and here it doesn't change.
    if machine.roster.count + machine.roster.reserved > capacity {
      return fail("\(machine.roster.count) are in and \(machine.roster.reserved) on the way, \(capacity) fit")
    }
    guard !machine.isClosed else { return }
    for waiter in machine.lobby.waiters where machine.roster[waiter.id] != nil {
      return fail("\(waiter.id) waits and is in")
    }
    numberChanges()
    for client in attached { compare(client) }
    carryOut(machine.drainEffects())
  }

  /// Gives another number to what has changed since the last step. Most commands change little, and most clients'
  /// comparisons would end as they did before.
  private func numberChanges() {
    let view = RoomView(machine)
    if view != self.view { (self.view, viewNumber) = (view, viewNumber + 1) }
    if machine.chat.all != comparedChat { (comparedChat, chatNumber) = (machine.chat.all, chatNumber + 1) }
  }

  /// A client that applied all messages believes the same as a new client.
  private func compare(_ client: Client) {
    guard let member = machine.roster[client.id], let belief = client.belief else {
      return fail("\(client.id) believes to be in")
    }
    let state = Compared(
      view: viewNumber, chat: chatNumber, slots: member.slots.info, permissions: member.permissions,
      since: member.chatting.since, votesArePending: machine.pollChanges.deadline != nil, chatIsPending: isWriting)
    guard client.compared != state else { return }
    var difference = belief.difference(from: view, for: member, votesArePending: state.votesArePending)
    // A change of the chat reaches participants once it is on the disk, and a welcome at once.
    if difference == nil, !state.chatIsPending {
      machine.begin(now)
      difference = belief.difference(from: machine.history(for: member))
    }
    if let difference { return fail("\(client.id) believes otherwise: \(difference)") }
    client.compared = state
  }

  /// A new client gets the state of ``RoomView``.
  private func checkWelcome(of client: Client) {
    guard let member = machine.roster[client.id] else { return }
    machine.begin(now)
    let fresh = RoomBelief(machine.welcome(of: member, "", nil))
    let difference =
      fresh.difference(from: view, for: member, votesArePending: false)
      ?? fresh.difference(from: machine.history(for: member))
    if let difference { fail("a welcome of \(client.id) says otherwise: \(difference)") }
  }

  /// A room that is restored from the journal has what hosts decided, the polls and the chat, and gives participants
  /// back what was theirs.
  private func checkRestart() {
    guard machine.journal.wasEntered else { return }
    let restored = RoomMachine(record, setup: Self.setup(record), now: now)
    restored.restore(
      RunningMeeting(values: disk.values, messages: disk.messages.sorted { $0.key < $1.key }.map(\.value)))
    if restored.lobby.isLocked != machine.lobby.isLocked { return fail("the lock is not restored") }
    if restored.moderation.overrides != machine.moderation.overrides { return fail("role overrides are not restored") }
    if restored.moderation.muteAll?.info != machine.moderation.muteAll?.info { return fail("muting is not restored") }
    if machine.keepsChat(record.chat), restored.chat.all != machine.chat.all {
      return fail("the chat is not restored: \(restored.chat.all)\n  it was \(machine.chat.all)")
    }
    // Everybody who can be known again comes back, under another id.
    var ids: [String: String] = [:]
    for client in clients where machine.roster[client.id] != nil && client.request.admission.grant.user != nil {
      var request = client.request
      request.session = .init(participant: "again \(client.id)", resumeToken: "again \(client.id)")
      request.isAdmitted = true
      request.isChosen = true
      restored.roster.reserve()
      request.join.tracks = []
      ids[client.id] = request.session.participant
      do throws(MeetingRoom.Refusal) {
        _ = try restored.beginJoin(request, quota: nil)
        _ = try restored.joinAnswered(request.session.participant, .success(answer([])))
        try restored.completeJoin(of: request.session.participant, iceServers: nil)
      } catch {
        return fail("\(client.id) can't come back: \(error)")
      }
    }
    for (old, new) in ids {
      guard let before = machine.roster[old], let after = restored.roster[new] else { continue }
      if before.role != after.role || before.permissions != after.permissions {
        return fail(
          "\(old) was \(before.role) \(before.permissions.names), is \(after.role) \(after.permissions.names)")
      }
      let (was, now) = (machine.polls.all(for: old, moderates: true), restored.polls.all(for: new, moderates: true))
      for (was, now) in zip(was, now) where was.mine != now.mine || was.isOpen != now.isOpen {
        return fail("\(old) had chosen \(was), has \(now)")
      }
      if was.map(\.id) != now.map(\.id) { return fail("there were \(was.count) polls, now \(now.count)") }
    }
    if let spotlight = machine.moderation.spotlight, let id = ids[spotlight], restored.moderation.spotlight != id {
      return fail("\(spotlight) was shown large, now \(restored.moderation.spotlight ?? "nobody")")
    }
  }

  private func note(_ what: @autoclosure () -> String) { if isTraced { trace.append(what()) } }

  private func fail(_ what: String) { if problem == nil { problem = "step \(steps): \(what)" } }
}

extension ServerMessage {
  /// The number of the request that it answers; nil where it answers none.
  fileprivate var answeredRequest: Int? {
    switch self {
    case .room(.done(let id)): id
    case .error(_, _, _, let id): id
    default: nil
    }
  }
}

/// Steele, Lea and Flood's generator: small, and the same everywhere.
struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
  /// Whether something of so many percent happens.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func element<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[below(list.count)] }
}
