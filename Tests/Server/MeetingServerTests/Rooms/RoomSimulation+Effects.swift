import Basics
import FoundationEssentials
import Meetings
import RTC
import SFU
import Signaling

@testable import MeetingServer

/// How effects are carried out.
extension RoomSimulation {
  func apply(_ command: RoomCommand) {
    commands += 1
    carryOut(machine.apply(command, now: now))
  }

  /// Begins a command that is a call.
  func begin() {
    commands += 1
    machine.begin(now)
  }

  func acknowledge(_ acknowledgement: RoomAcknowledgement, isWritten: Bool) {
    let id = acknowledgement.id
    deliver(
      isWritten ? .room(.done(id: id)) : .error(code: .internalError, message: "", fatal: false, id: id),
      over: acknowledgement.channel)
    if acknowledgement.ending != nil { close([acknowledgement.channel]) }
  }

  func carryOut(_ effects: [RoomEffect]) {
    var closed: [SignalingChannel] = []
    for effect in effects {
      switch effect {
      case .send(let message, let channel), .admit(let channel, let message): deliver(message, over: channel)
      case .broadcast(let message, let channels): for channel in channels { deliver(message, over: channel) }
      case .fail(let channel, _), .end(let channel, _, _), .close(let channel): closed.append(channel)
      case .journal(let change): disk.write(change)
      case .awaitJournal(let write): work.append(.journal(through: write))
      case .acknowledge(let acknowledgement):
        work.append(.acknowledge(acknowledgement))
      case .lobby(.admitted(let request)):
        if let client = clients.first(where: { $0.id == request.session.participant }) {
          client.state = .entering
          client.unanswered = []
        }
        work.append(.admitted(request))
      case .wait(.audit(let token)): work.append(.auditRequest(token: token))
      case .wait(.offer(let token, _, _, let tracks)): work.append(.offer(token: token, tracks))
      case .refreshToken(let participant, let admission):
        work.append(.refreshToken(participant: participant, admission.grant))
      case .media(.assign(let changes, let receiver)):
        if let change = changes.first, random.chance(2) {
          work.append(.refuseSlots([change.mid.rawValue], receiver: receiver))
        }
      case .media, .listen, .leftMeetingGoesOn, .event, .log, .count, .removeFiles, .removeAllFiles, .resumeFiles,
        .sessionEnded, .left, .ban, .lobby(.emptied), .closed:
        break
      }
    }
    close(closed)
  }

  private func close(_ channels: [SignalingChannel]) {
    for channel in channels {
      guard let client = byChannel[channel.id], client.channel.id == channel.id else { continue }
      leave(client)
      if client.isAttached { detach(client) }
    }
  }

  func deliver(_ message: ServerMessage, over channel: SignalingChannel) {
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
      client.due = .all
    case .waiting, .error, .pong, .ended: break
    default:
      guard client.state == .inside || client.state == .outside else {
        return fail("\(client.id), who isn't in, gets \(message)")
      }
      client.belief?.apply(message)
      client.due.formUnion(message.changedParts)
    }
    guard let id = message.answeredRequest else { return }
    if !client.answered.insert(id).inserted { return fail("request \(id) of \(client.id) is answered twice") }
    client.unanswered.remove(id)
    if let kind = client.asked.removeValue(forKey: id) { counts.add(kind, isDone: message.isDone) }
  }
}

extension ServerMessage {
  /// The number of the request that it answers; nil where it answers none.
  var answeredRequest: Int? {
    switch self {
    case .room(.done(let id)): id
    case .error(_, _, _, let id): id
    default: nil
    }
  }
  var isDone: Bool { if case .room(.done) = self { true } else { false } }

  /// The parts of a belief that it changes.
  var changedParts: RoomParts {
    switch self {
    case .resumed: .all
    case .participantJoined, .participantUpdated, .published, .publicationUpdated, .unpublished: .participants
    case .participantLeft: [.participants, .rest]
    case .chat: .chat
    case .slots, .answer: .own
    case .room(.poll), .room(.pollRemoved): .polls
    case .room(.chat(.changed)): .chat
    case .room(.permissions): [.own, .polls, .chat]
    case .room(.state): [.polls, .rest]
    case .room(.chat(.typing)), .room(.done), .room(.unmuteRequested), .room(.reaction): []
    case .room(.spotlight), .room(.muteAll), .room(.meeting), .announcement: .rest
    case .welcome, .waiting, .paused, .wanted, .needSlots, .speakers, .quality, .signal, .codec, .token, .pong, .error,
      .ended, .keyEnvelopes, .lobby:
      []
    }
  }
}
