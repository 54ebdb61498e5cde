import Meetings
import Signaling

/// Encrypted meetings: their mode, and what their participants send one another of their keys. Nothing of that is
/// logged or reported.
extension RoomMachine {
  // MARK: Mode

  /// Whether the meeting is end-to-end encrypted.
  var isEncrypted: Bool { meeting.isEncrypted == true }

  /// The mode that a join has decided and that isn't written down yet.
  var undecidedMode: Bool? { lifeCycle.isModeOpen ? meeting.isEncrypted : nil }

  /// Refuses a join request of another mode than the meeting's, or than the policy allows.
  func requireMode(of request: JoinRequest) throws(MeetingRoom.Refusal) {
    let policy = request.admission.tenant.policy.encryption ?? setup.limits.encryption
    let wants = request.join.e2ee == true
    guard policy.allows(wants), meeting.isEncrypted.map({ $0 == wants }) ?? true else {
      throw wants ? .notEncrypted : .encryptionRequired
    }
  }

  /// The first join of a meeting decides its mode.
  func decideMode(by request: JoinRequest) {
    guard meeting.isEncrypted == nil else { return }
    meeting.isEncrypted = request.join.e2ee == true
    lifeCycle.isModeOpen = true
  }

  /// A join is over that has perhaps decided the mode. While nobody came in, nothing is decided.
  func reopenMode() {
    guard lifeCycle.isModeOpen, pending.joins.isEmpty else { return }
    meeting.isEncrypted = nil
    lifeCycle.isModeOpen = false
  }

  /// The mode is written down; nil when it couldn't be. Another process may have written another one.
  func modeDecided(_ isEncrypted: Bool?, askedBy id: String) throws(MeetingRoom.Refusal) {
    guard let isEncrypted, isEncrypted == meeting.isEncrypted else {
      if let join = pending.joins[id] {
        for action in join.actions { auditUndone(action, by: join.member, "the meeting has another mode") }
      }
      media(.leave(participant: id))
      let wanted = meeting.isEncrypted
      abandonJoin(of: id, isReserved: true)
      guard isEncrypted != nil else { throw .unavailable("the meeting's mode can't be written down") }
      throw wanted == true ? .notEncrypted : .encryptionRequired
    }
    guard lifeCycle.isModeOpen else { return }
    lifeCycle.isModeOpen = false
    // Those who wait with the other mode needn't any more.
    reconsiderWaiters()
  }

  // MARK: Keys

  /// Everybody's announcements, for one who comes in or back; nil unless the meeting is encrypted. A client that finds
  /// its own announces nothing again.
  var announcements: [ParticipantAnnouncement]? {
    guard isEncrypted else { return nil }
    return roster.inOrder.compactMap { member in
      member.keys.announcement.map { ParticipantAnnouncement(participant: member.id, announcement: $0) }
    }
  }

  /// Keeps the latest announcement of a participant, and sends it to the others.
  func announceKeys(_ announcement: String, _ size: Int, id: Int?, _ member: RoomMember, _ channel: RoomChannel) {
    guard mayExchangeKeys(member, channel, id: id) else { return }
    let overhead = MessageBudget.overhead
    if let reached = keyRelay.spendAnnouncement(size + overhead, of: &member.keys, now: now.instant) {
      return refuse(reached, id: id, channel)
    }
    member.keys.announcement = announcement
    broadcast(.announcement(.init(participant: member.id, announcement: announcement)), except: member.id)
  }

  /// Passes envelopes on to participants who are in. The others are dropped: whoever lacks something asks for it again.
  func pass(
    _ envelopes: [AddressedEnvelope], _ size: Int, id: Int?, _ member: RoomMember, _ channel: RoomChannel
  ) {
    guard mayExchangeKeys(member, channel, id: id) else { return }
    if let reached = keyRelay.spend(size, of: &member.keys, now: now.instant) {
      return refuse(reached, id: id, channel)
    }
    var (order, passed): ([String], [String: [ReceivedEnvelope]]) = ([], [:])
    var dropped = 0
    for envelope in envelopes {
      guard let receiver = roster[envelope.to], receiver !== member, !receiver.isHidden, receiver.channel != nil else {
        dropped += 1
        continue
      }
      guard KeyRelay.delivers(envelope, of: &member.keys, to: &receiver.keys, now: now.instant) else {
        count(.limit(.keyReceiverRate))
        dropped += 1
        continue
      }
      if passed[receiver.id] == nil { order.append(receiver.id) }
      passed[receiver.id, default: []].append(.init(from: member.id, envelope: envelope.envelope))
    }
    for receiver in order {
      deliver(keyRelay.add(passed[receiver] ?? [], to: receiver, now: now.instant), to: receiver)
    }
    if dropped > 0 { count(.droppedKeyEnvelopes(dropped)) }
    if dropped < envelopes.count { count(.keyEnvelopes(envelopes.count - dropped)) }
  }

  /// Sends envelopes that waited for others to the same receiver.
  func sendWaitingEnvelopes() {
    for (receiver, envelopes) in keyRelay.drain(now: now.instant) { deliver(envelopes, to: receiver) }
  }

  private func deliver(_ envelopes: [ReceivedEnvelope], to receiver: String) {
    guard let channel = roster[receiver]?.channel else { return }
    var rest = envelopes[...]
    while !rest.isEmpty {
      channel.send(.keyEnvelopes(Array(rest.prefix(EncryptionLimits.envelopes))))
      rest = rest.dropFirst(EncryptionLimits.envelopes)
    }
  }

  private func mayExchangeKeys(_ member: RoomMember, _ channel: RoomChannel, id: Int?) -> Bool {
    guard isEncrypted else {
      channel.refuse(.init(.notEncrypted, "The meeting isn't end-to-end encrypted."), id: id)
      return false
    }
    // The others' clients would send it keys and count it, and it wouldn't be hidden; or it would have keys unseen.
    guard !member.isHidden else {
      channel.refuse(.init(.notAllowed, "A hidden participant gets no keys of an encrypted meeting."), id: id)
      return false
    }
    return true
  }

  private func refuse(_ reached: LimitReached, id: Int?, _ channel: RoomChannel) {
    count(.limit(reached.limit))
    channel.refuse(.init(.tooFast, reached.text), id: id)
  }
}
