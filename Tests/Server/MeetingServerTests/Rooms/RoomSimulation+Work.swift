import Basics
import FoundationEssentials
import Meetings
import RTC
import SFU
import Signaling

@testable import MeetingServer

/// Joins, and the media plane's and the disk's part in them.
extension RoomSimulation {
  func join() {
    let roles: [Role] = [.moderator, .publisher, .publisher, .subscriber, .organizer, .hidden]
    forgetDeparted()
    let number = lastClient
    lastClient += 1
    var grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: TokenID(rawValue: "token \(number)"), target: .anyRoom,
      role: roles[random.below(roles.count)], user: random.chance(70) ? "user \(number)" : nil,
      expires: random.chance(30) ? now.date + Double(5 + random.below(120)) : .distantFuture, isGuest: random.chance(30)
    )
    grant.key = random.chance(20) ? "key" : nil
    let request = JoinRequest(
      admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N\(number)",
      join: .init(token: "", name: "N\(number)", offer: "o", tracks: tracks(), e2ee: isEncrypted != random.chance(4)),
      channel: SignalingChannel(socket: Socket()),
      session: .init(participant: "p\(number)", resumeToken: "r\(number)"))
    let client = Client(request)
    clients.append(client)
    byChannel[client.channel.id] = client
    enter(client, request)
  }

  /// Keeps a few participants who are gone, as targets of requests. A participant who was let in and went has still to
  /// enter.
  private func forgetDeparted() {
    let gone = clients.filter { $0.state == .outside }
    guard gone.count > 4, !work.contains(where: { if case .admitted = $0 { true } else { false } }) else { return }
    clients.removeAll { $0.state == .outside && $0 !== gone.last }
  }

  func tracks() -> [TrackDescription] {
    var tracks: [TrackDescription] = []
    if random.chance(60) { tracks.append(.init(mid: "0", source: .microphone, muted: random.chance(30))) }
    if random.chance(50) { tracks.append(.init(mid: "1", source: .camera, muted: random.chance(30))) }
    if random.chance(15) { tracks.append(.init(mid: "2", source: .screen)) }
    return tracks
  }

  func enter(_ client: Client, _ request: JoinRequest) {
    note("join \(client.id) as \(request.admission.grant.role) (\(request.isAdmitted ? "let in" : "new"))")
    begin()
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

  func leave(_ client: Client) {
    client.state = .outside
    client.unanswered = []
  }

  /// Lets the media plane or the disk do the next thing, not always the oldest.
  func doWork(fails: Bool = true) {
    guard !work.isEmpty else { return advance() }
    var index = random.below(work.count)
    // A disk writes in order.
    if case .journal = work[index] {
      index = work.firstIndex { if case .journal = $0 { true } else { false } } ?? index
    }
    let item = work.remove(at: index)
    begin()
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
      let isWritten = !fails || random.chance(90)
      // The disk gave writes up: the room repeats its decisions.
      if !isWritten, random.chance(30) { machine.journal.lost = write }
      apply(.journalWritten(through: write, isWritten))
    case .acknowledge(let acknowledgement):
      note("acknowledged \(acknowledgement.id)")
      acknowledge(acknowledgement, isWritten: !fails || random.chance(90))
    case .refreshToken(let participant, let grant):
      note("token of \(participant) refreshed")
      let fresh = RefreshedToken(token: Secret("fresh"), expires: now.date + 600)
      apply(.tokenRefreshed(fresh, participant: participant, insteadOf: grant))
    case .refuseSlots(let mids, let receiver):
      note("slots \(mids) of \(receiver) refused")
      apply(.slotsRefused(mids, receiver: receiver))
    case .admitted(let request):
      guard let client = clients.first(where: { $0.id == request.session.participant }) else { return }
      enter(client, request)
    }
    carryOut(machine.drainEffects())
  }

  func completeJoin(_ client: Client) throws(MeetingRoom.Refusal) {
    if let mode = machine.undecidedMode { try machine.modeDecided(mode, askedBy: client.id) }
    try machine.completeJoin(of: client.id, iceServers: nil)
  }

  func complete(_ client: Client, _ body: () throws(MeetingRoom.Refusal) -> Void) {
    do throws(MeetingRoom.Refusal) {
      try body()
    } catch {
      note("  refused: \(error)")
      leave(client)
    }
  }

  func answer(_ tracks: [MediaTrack]) -> OfferAnswer {
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
}
