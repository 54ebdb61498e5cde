import Basics
import Crypto
import Encryption
import Signaling

/// The keys of one place in an encrypted meeting: what signalling and time do to them, and what is to be done then. No
/// I/O; used by one thread at a time, see ``KeyRing``.
final class MeetingKeys {
  /// How long somebody may be there without keys before that is shown.
  static let announcementPatience = TimeSpan.seconds(5)
  /// Most kinds of trouble that are reported.
  private static let maximumProblems = 256
  /// Most announcements that are taken in at once; the roster is smaller.
  static let maximumAnnouncements = 2_000

  let exchange: KeyExchange
  private let own: ParticipantID
  /// Everybody whom signalling shows, without this client, and since when.
  private var roster: [ParticipantID: Instant] = [:]
  private var reported: Set<ReportedProblem> = []
  private var outputs: [KeyOutput] = []
  private(set) var status = MeetingEncryption(.waiting)
  /// The newest announcement of this client, for a server that has lost it.
  private var announcement: String?
  /// Counts the others' announcements while those of the welcome are taken in.
  private var first = (accepted: 0, wrongSecret: 0)
  /// Those who were there before this client and have not announced themselves, while nobody has shown its secret to be
  /// right.
  private var earlier: Set<ParticipantID> = []

  private struct ReportedProblem: Hashable {
    let participant: ParticipantID
    let problem: KeyProblem
  }

  /// The keys of `participant`, who is this client.
  init(
    meeting: String, participant: ParticipantID, name: String, identity: Ed25519.PrivateKey, secret: LinkSecret,
    timing: KeyTiming = KeyTiming(), now: Instant
  ) throws(KeyMessageError) {
    own = participant
    exchange = try KeyExchange(
      meeting: meeting, participant: participant, name: Self.short(name), identity: identity, secret: secret,
      timing: timing, now: now)
  }

  /// A name that announcements have room for.
  static func short(_ name: String) -> String {
    var name = name
    while name.utf8.count > KeyExchange.maximumNameBytes { name.removeLast() }
    return name
  }

  // MARK: Signalling

  /// The welcome: who is there, and what they have announced. Announces this client.
  ///
  /// - Returns: Whether this client has the meeting's secret. It has another one when others have announced themselves
  ///   and none of them with its own; then nothing is announced. Those who announce themselves later decide later, by
  ///   ``KeyOutput/wrongSecret``.
  func begin(_ announcements: [ParticipantAnnouncement], roster ids: [ParticipantID], now: Instant) -> Bool {
    for id in ids where id != own { roster[id] = now }
    receive(announcements, now: now)
    guard first.accepted > 0 || first.wrongSecret == 0 else { return false }
    if first.accepted == 0 {
      earlier = Set(ids).subtracting(announcements.map { ParticipantID(rawValue: $0.participant) }).subtracting([own])
    }
    attempt { () throws(KeyMessageError) in try exchange.announce(now: now) }
    settle(now)
    return true
  }

  /// The state after a socket was lost: who is still there, and what was announced.
  func resume(_ announcements: [ParticipantAnnouncement], roster ids: [ParticipantID], now: Instant) {
    let present = Set(ids)
    for id in Array(roster.keys) where !present.contains(id) { leave(id, isRemoved: false, now: now) }
    for id in ids { join(id, now: now) }
    let isAnnounced = announcements.contains { $0.participant == own.rawValue && $0.announcement == announcement }
    exchange.resume(isAnnounced: isAnnounced, now: now)
    receive(announcements, now: now)
  }

  /// Somebody is there by the server's word; their announcement follows.
  func join(_ id: ParticipantID, now: Instant) {
    guard id != own, roster[id] == nil else { return }
    roster[id] = now
    settle(now)
  }

  /// Somebody has gone, or was removed.
  func leave(_ id: ParticipantID, isRemoved: Bool, now: Instant) {
    roster[id] = nil
    reported = reported.filter { $0.participant != id }
    attempt { () throws(KeyMessageError) in try exchange.remove(id, isRemoved: isRemoved, now: now) }
    if earlier.remove(id) != nil { judgeSecret() }
    settle(now)
  }

  /// Somebody has announced keys.
  func receive(_ announcements: [ParticipantAnnouncement], now: Instant) {
    for entry in announcements.prefix(Self.maximumAnnouncements) {
      let id = ParticipantID(rawValue: entry.participant)
      guard let bytes = Base64URL.decode(entry.announcement) else {
        report(id, .refused(.malformed))
        continue
      }
      exchange.receive(announcement: bytes, from: id, now: now)
    }
    settle(now)
  }

  /// Envelopes for this client.
  func receive(_ envelopes: [ReceivedEnvelope], now: Instant) {
    for entry in envelopes.prefix(EncryptionLimits.envelopes) {
      let id = ParticipantID(rawValue: entry.from)
      guard let bytes = Base64URL.decode(entry.envelope) else {
        report(id, .refused(.malformed))
        continue
      }
      exchange.receive(envelope: bytes, from: id, now: now)
    }
    settle(now)
  }

  // MARK: Own changes and time

  func publish(_ tracks: [UInt8: FrameSource], now: Instant) {
    attempt { () throws(KeyMessageError) in try exchange.publish(tracks, now: now) }
    settle(now)
  }

  func rename(_ name: String, now: Instant) {
    attempt { () throws(KeyMessageError) in try exchange.rename(Self.short(name), now: now) }
    settle(now)
  }

  /// When ``handleTimeout(now:)`` is to be called next.
  var deadline: Instant { min(exchange.deadline ?? .distantFuture, patienceDeadline) }

  private var patienceDeadline: Instant {
    var next = Instant.distantFuture
    for (id, since) in roster where !status.waitingFor.contains(id.rawValue) && !isMember(id) {
      next = min(next, since + Self.announcementPatience)
    }
    return next
  }

  func handleTimeout(now: Instant) {
    attempt { () throws(KeyMessageError) in try exchange.handleTimeout(now: now) }
    settle(now)
  }

  /// Takes what frames have changed that were opened, or could not be.
  func framesCame(now: Instant) { settle(now) }

  /// Takes everything that is to be done, in order.
  func takeOutputs() -> [KeyOutput] {
    defer { outputs = [] }
    return outputs
  }

  /// Whether ``takeOutputs()`` has something.
  var hasOutputs: Bool { !outputs.isEmpty }

  // MARK: Steps

  private func isMember(_ id: ParticipantID) -> Bool { exchange.announcement(of: id) != nil }

  private func attempt(_ body: () throws(KeyMessageError) -> Void) {
    do throws(KeyMessageError) { try body() } catch { report(own, .refused(error)) }
  }

  /// Takes what the exchange wants, and says what has changed.
  private func settle(_ now: Instant) {
    while let effect = exchange.pollEffect() { take(effect) }
    let waiting =
      exchange.waitingFor
      + roster.filter { now - $0.value >= Self.announcementPatience && !isMember($0.key) }.map(\.key)
    let ids = Set(waiting.map(\.rawValue)).sorted()
    let code = announcement == nil ? nil : exchange.safetyCode
    let next = MeetingEncryption(code != nil && ids.isEmpty ? .encrypted : .waiting, safetyCode: code, waitingFor: ids)
    guard next != status else { return }
    status = next
    outputs.append(.changed(next))
  }

  private func take(_ effect: KeyEffect) {
    switch effect {
    case .announce(let bytes):
      let text = Base64URL.encode(bytes)
      announcement = text
      outputs.append(.send(.announce(text)))
    case .send(let envelopes):
      var rest = envelopes[...]
      while !rest.isEmpty {
        outputs.append(
          .send(
            .keyEnvelopes(
              rest.prefix(EncryptionLimits.envelopes).map {
                AddressedEnvelope(to: $0.recipient.rawValue, envelope: Base64URL.encode($0.bytes))
              })))
        rest = rest.dropFirst(EncryptionLimits.envelopes)
      }
    case .notify(let event): take(event)
    }
  }

  private func take(_ event: KeyEvent) {
    switch event {
    case .member(let id, let name):
      first.accepted += 1
      if earlier.contains(id) { earlier = [] }
      if let key = exchange.announcement(of: id)?.identity { outputs.append(.named(id, name, key)) }
      if roster[id] == nil { report(id, .unseen) }
    case .refused(let id, let error):
      guard id != own else { return report(id, .refused(error)) }
      if error == .wrongSecret { first.wrongSecret += 1 }
      report(id, .refused(error))
      if error == .wrongSecret, earlier.remove(id) != nil { judgeSecret() }
    case .keyFrameNeeded(let id): outputs.append(.keyframesWanted(id))
    case .ownKeyFrameNeeded: outputs.append(.ownKeyframesWanted)
    case .rosterMismatch(let id): report(id, .otherRoster)
    case .memberLeft, .safetyCodeChanged, .waitingChanged: break
    }
  }

  /// When everybody who was there before has another secret, this client's is wrong.
  private func judgeSecret() {
    if earlier.isEmpty, first.accepted == 0, first.wrongSecret > 0 { outputs.append(.wrongSecret) }
  }

  /// Reports each kind of trouble with somebody once.
  private func report(_ id: ParticipantID, _ problem: KeyProblem) {
    guard reported.count < Self.maximumProblems,
      reported.insert(ReportedProblem(participant: id, problem: problem)).inserted
    else {
      return
    }
    outputs.append(.problem(id, problem))
  }
}
