import Basics
import FoundationEssentials
import Meetings
import RTC
import SFU
import Signaling

@testable import MeetingServer

/// Requests of clients, and their sockets.
extension RoomSimulation {
  func request() {
    let talking = clients.filter { $0.isAttached && $0.state != .outside && $0.state != .joining }
    guard let client = random.element(talking) else { return join() }
    lastRequest += 1
    let id = lastRequest
    let other = random.element(clients)?.id ?? "p0"
    var message: ClientMessage
    var hasAnswer = true
    switch random.below(32) {
    case 0..<22:
      let request = roomRequest(id: id, other: other)
      message = .room(request, id: id)
      if request.kind == .typing { hasAnswer = client.state == .waiting }
    case 22: message = .chat(text: "m\(id)", to: random.chance(25) ? other : nil, id: id)
    case 23: message = .mute(mid: "\(random.below(3))", muted: random.chance(50), id: id)
    case 24: message = random.chance(50) ? .admit(.all, id: id) : .deny(.some([other]), id: id)
    case 25: message = random.chance(30) ? .lock(random.chance(50), id: id) : .signal(.init(type: "t"), to: nil, id: id)
    case 26, 27:
      message =
        random.chance(50)
        ? .announce("A\(id)")
        : .keyEnvelopes([.init(to: other, envelope: "E\(id)"), .init(to: "p0", envelope: "F\(id)")])
      let isHidden = machine.roster[client.id]?.isHidden == true
      hasAnswer = client.state == .waiting || client.state == .inside && (isHidden || !machine.isEncrypted)
    case 28:
      message = .offer(.init(id: id, offer: "o", tracks: tracks()))
      hasAnswer = client.state == .waiting
    case 29 where client.state == .inside: return renewToken(of: client, id: id)
    case 30: message = .chat(text: "m\(id)", to: nil, id: id)
    default:
      message = random.chance(10) ? .leave : .rename(name: "N\(id)")
      hasAnswer = client.state == .waiting && message != .leave
    }
    note("\(client.id) (\(client.state)): \(message)")
    // Participants on their way in aren't answered: nobody knows yet what they may.
    if hasAnswer, client.state != .entering { client.unanswered.insert(id) }
    if case .room(let request, _) = message { client.asked[id] = request.kind }
    apply(.message(message, id: id, size: 60, from: client.id, over: client.channel))
  }

  /// A request of a random kind. The end of the meeting is a rare one.
  func roomRequest(id: Int, other: String) -> RoomRequest {
    let poll = 1 + random.below(3)
    switch RequestKind.allCases[random.below(RequestKind.allCases.count)] {
    case .raiseHand: return .raiseHand(random.chance(60), participant: random.chance(20) ? other : nil)
    case .lowerHands: return .lowerHands
    case .react: return .react(.clap)
    case .createPoll:
      let results: [PollResults] = [.always, .whenClosed, .moderators]
      return .createPoll(.init(question: "qq", options: ["a", "b"], results: results[random.below(3)]))
    case .setPoll: return .setPoll(poll, isOpen: random.chance(50))
    case .removePoll: return .removePoll(poll)
    case .vote: return .vote(poll: poll, options: random.chance(80) ? [random.below(2)] : [])
    case .muteParticipant: return .muteParticipant(other, sources: [.microphone, .screen])
    case .stopTracks: return .stopTracks(other, sources: [.camera])
    case .muteAll:
      return .muteAll(
        sources: [.microphone], except: random.chance(30) ? [other] : [],
        exceptTracks: random.chance(20) ? [TrackReference(participant: other, source: .microphone)] : [],
        includingLater: random.chance(50), includingSelf: random.chance(20), mayUnmute: random.chance(50))
    case .liftMuteAll: return .liftMuteAll
    case .askToUnmute: return .askToUnmute(other, sources: [.microphone])
    case .removeParticipant: return .removeParticipant(other, ban: random.chance(40))
    case .setRole: return .setRole(other, role: ["moderator", "publisher", "subscriber"][random.below(3)])
    case .setPermissions: return .setPermissions(other, permissions: permissionNames(70))
    case .changePermissions:
      return .changePermissions(other, adding: permissionNames(30), removing: permissionNames(20))
    case .spotlight: return .spotlight(random.chance(70) ? other : nil)
    case .editChat: return .chat(.edit(randomMessage, text: "edited \(id)"))
    case .deleteChat: return .chat(.delete(randomMessage))
    case .typing: return .chat(.typing(random.chance(70), to: random.chance(20) ? other : nil))
    case .endMeeting: return random.chance(4) ? .endMeeting : .vote(poll: poll, options: [0])
    }
  }

  private func permissionNames(_ percent: Int) -> [String] {
    ["publishAudio", "publishVideo", "subscribe", "chat", "moderate"].filter { _ in random.chance(percent) }
  }

  private var randomMessage: Int { random.element(machine.chat.all)?.id ?? 1 }

  /// A client renews its token; now and then with one of somebody else, which is refused.
  private func renewToken(of client: Client, id: Int) {
    guard let member = machine.roster[client.id] else { return }
    var grant = member.admission.grant
    grant.id = TokenID(rawValue: "token \(client.id) \(id)")
    grant.expires = now.date + Double(5 + random.below(120))
    if random.chance(10) { grant.user = "somebody else" }
    note("\(client.id) renews its token")
    client.unanswered.insert(id)
    let admission = Admission(meeting: record, tenant: tenant, grant: grant)
    apply(.renewToken(admission, participant: client.id, id: id, client.channel))
  }

  func changeSocket() {
    guard let client = random.element(clients.filter { $0.state != .outside && $0.state != .joining }) else { return }
    if client.isAttached {
      note("\(client.id) loses its socket")
      detach(client)
    } else if client.state == .inside {
      note("\(client.id) resumes")
      client.channel = SignalingChannel(socket: Socket())
      byChannel[client.channel.id] = client
      client.isAttached = true
      begin()
      do throws(MeetingRoom.Refusal) {
        try machine.resume(participant: client.id, over: client.channel, origin: nil)
      } catch {
        leave(client)
      }
      carryOut(machine.drainEffects())
    }
  }

  func detach(_ client: Client) {
    client.isAttached = false
    client.unanswered = []
    if client.state == .waiting || client.state == .entering { client.state = .outside }
    apply(.detach(participant: client.id, client.channel))
  }
}
