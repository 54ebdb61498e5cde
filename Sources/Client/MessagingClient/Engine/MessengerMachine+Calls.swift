import Crypto
import Encryption
import Messaging

extension MessengerMachine {
  /// Bytes of metadata that an app may add to an offer.
  static let maximumMetadata = 4_096
  private static let maximumCalls = 64

  // MARK: Sealing

  private func seal(
    _ content: some Encodable, to peer: RegID, _ keys: IdentityPublicKeys, subject: String
  ) throws(MessengerError) -> Sealed {
    guard let own = identity.keys else { throw .notReady }
    var bytes = LocalJSON.encode(content)
    let context = IdentityEnvelope.Context(.call, to: peer, subject: subject)
    do throws(CryptoError) {
      return Sealed(
        bytes: try IdentityEnvelope.seal(SecretBytes(wiping: &bytes), context, from: self.own, own, to: keys))
    } catch {
      throw .failed
    }
  }

  private func seal(_ note: CallNote, in record: CallRecord) throws(MessengerError) -> Sealed {
    try seal(note, to: record.call.peer, record.peerKeys, subject: record.call.id.text)
  }

  private func open<Content: Decodable>(
    _ type: Content.Type, _ sealed: Sealed?, from peer: RegID, _ keys: IdentityPublicKeys, subject: String
  ) -> Content? {
    guard let bytes = sealed?.bytes, IdentityEnvelope.sender(of: bytes) == peer, let own = identity.keys else {
      return nil
    }
    let context = IdentityEnvelope.Context(.call, to: self.own, subject: subject)
    guard let plain = try? IdentityEnvelope.open(bytes, context, from: keys, to: own) else { return nil }
    return LocalJSON.decode(type, from: plain.unprotectedCopy())
  }

  // MARK: Outgoing

  /// The offer's envelope cannot name the call, which the service numbers; the answer's does.
  mutating func startCall(_ peer: RegID, _ medium: CallMedium, _ metadata: String?, _ id: CommandID) {
    guard isReady else { return reply(id, .failure(.notReady)) }
    guard (metadata?.utf8.count ?? 0) <= Self.maximumMetadata else { return reply(id, .failure(.tooLarge)) }
    withKeys(of: [peer]) { machine, result in
      guard case .success(let keys) = result else { return machine.reply(id, result.map { _ in .done }) }
      guard let keys = keys[peer] else { return machine.reply(id, .failure(.keysMissing([peer]))) }
      guard let secret = try? LinkSecret(),
        let sealed = try? machine.seal(
          CallOffer(secret: secret.text, metadata: metadata), to: peer, keys, subject: medium.rawValue)
      else { return machine.reply(id, .failure(.failed)) }
      machine.request(.callStart(to: peer, medium: medium, sealed: sealed)) { machine, answer in
        guard case .success(.call(let number, let grant)) = answer else {
          return machine.reply(id, answer.flatMap { _ in .failure(.failed) })
        }
        let call = Call(
          id: number, peer: peer, isIncoming: false, medium: medium, state: .offered, metadata: metadata, end: nil)
        machine.calls[number] = CallRecord(call: call, secret: secret, peerKeys: keys, grant: grant)
        machine.reply(id, .success(.call(call)))
      }
    }
  }

  mutating func answerCall(_ id: CallID, _ command: CommandID) {
    guard let record = calls[id], record.call.isIncoming, record.call.state != .connected else {
      return reply(command, .failure(.notFound))
    }
    guard let note = try? seal(CallNote(step: .answer), in: record) else {
      return reply(command, .failure(.failed))
    }
    request(.callStep(callId: id, step: .answer, sealed: note, to: nil)) { machine, answer in
      guard case .success(.call(_, let grant)) = answer else {
        return machine.reply(command, answer.flatMap { _ in .failure(.failed) })
      }
      machine.calls[id]?.grant = grant
      machine.connect(id)
      machine.reply(command, .success(.done))
    }
  }

  mutating func sendStep(_ id: CallID, _ step: CallStep, _ text: String?, _ command: CommandID) {
    guard let record = calls[id] else { return reply(command, .failure(.notFound)) }
    guard (text?.utf8.count ?? 0) <= Self.maximumMetadata else { return reply(command, .failure(.tooLarge)) }
    guard let note = try? seal(CallNote(step: step, text: text), in: record) else {
      return reply(command, .failure(.failed))
    }
    request(.callStep(callId: id, step: step, sealed: note, to: record.endpoint)) { machine, answer in
      guard let end = Self.end(by: step) else {
        if case .success = answer, step == .ringing, machine.calls[id]?.call.state == .offered {
          machine.calls[id]?.call.state = .ringing
        }
        return machine.reply(command, answer.map { _ in .done })
      }
      // Also if the service refuses: it may have forgotten the call.
      machine.endCall(id, end)
      machine.endAnswered(id, step, answer)
      machine.reply(command, .success(.done))
    }
  }

  /// The end that a step of this side brings; nil for steps after which the call goes on.
  private static func end(by step: CallStep) -> CallEnd? {
    switch step {
    case .decline: .declined
    case .busy: .busy
    case .hangUp: .hungUp
    case .ringing, .answer, .update: nil
    }
  }

  /// A call that has ended here is owed to the service until it confirms the step or refuses it.
  private mutating func endAnswered(_ id: CallID, _ step: CallStep, _ answer: Answer) {
    calls[id]?.isOwedStepUnderWay = false
    switch answer {
    case .failure(.disconnected): calls[id]?.owedStep = step
    case .failure(.refused(let failure)) where Self.isTemporary(failure.code):
      calls[id]?.owedStep = step
      retryLater()
    case .success, .failure: calls[id]?.owedStep = nil
    }
  }

  /// Sends the steps that the service has not heard of.
  mutating func sendOwedSteps() {
    for (id, record) in calls.sorted(by: { $0.key.text < $1.key.text }) where !record.isOwedStepUnderWay {
      guard let step = record.owedStep, let note = try? seal(CallNote(step: step), in: record) else { continue }
      calls[id]?.isOwedStepUnderWay = true
      request(.callStep(callId: id, step: step, sealed: note, to: record.endpoint)) { machine, answer in
        machine.endAnswered(id, step, answer)
      }
    }
  }

  /// Asks the service about its calls after a connection was lost, by an update without content: those that it has
  /// forgotten are over.
  mutating func confirmCalls() {
    for (id, record) in calls.sorted(by: { $0.key.text < $1.key.text }) where record.call.state != .ended {
      guard let note = try? seal(CallNote(step: .update), in: record) else { continue }
      request(.callStep(callId: id, step: .update, sealed: note, to: record.endpoint)) { machine, answer in
        guard case .failure(.refused(let failure)) = answer, !Self.isTemporary(failure.code) else { return }
        machine.endCall(id, failure.code == .notAllowed ? .answeredElsewhere : .lost)
      }
    }
  }

  private mutating func connect(_ id: CallID) {
    // The other side may have given it up while the answer was on its way.
    guard let state = calls[id]?.call.state, state != .ended else { return }
    calls[id]?.call.state = .connected
    guard let record = calls[id], let meeting = record.meeting else { return }
    notify(.call(.connect(record.call, meeting)))
  }

  // MARK: Incoming

  mutating func receiveOffer(
    _ id: CallID, from peer: RegID, _ endpoint: EndpointID, _ medium: CallMedium, _ sealed: Sealed
  ) {
    guard calls[id] == nil, calls.count < Self.maximumCalls, isReady else { return }
    withKeys(of: [peer]) { machine, result in
      guard case .success(let keys) = result else { return }
      guard let keys = keys[peer],
        let offer = machine.open(CallOffer.self, sealed, from: peer, keys, subject: medium.rawValue),
        let secret = LinkSecret(text: offer.secret),
        // A service that brings an old offer back would let it ring for nobody.
        !machine.calls.values.contains(where: { $0.secret == secret })
      else { return machine.notify(.call(.refused(id, from: peer))) }
      let call = Call(
        id: id, peer: peer, isIncoming: true, medium: medium, state: .offered, metadata: offer.metadata, end: nil)
      machine.calls[id] = CallRecord(call: call, secret: secret, peerKeys: keys, endpoint: endpoint)
      machine.notify(.call(.offered(call)))
    }
  }

  mutating func receiveStep(
    _ id: CallID, from peer: RegID, _ endpoint: EndpointID, _ step: CallStep, _ sealed: Sealed?
  ) {
    guard let record = calls[id], record.call.peer == peer, record.call.state != .ended,
      let note = open(CallNote.self, sealed, from: peer, record.peerKeys, subject: id.text), note.step == step
    else {
      // Nobody but the peer says that it answers. The service may always end a call: it would not deliver it.
      if calls[id]?.call.peer == peer, step != .ringing, step != .update { notify(.call(.refused(id, from: peer))) }
      return
    }
    switch step {
    case .ringing where record.call.state == .offered && !record.call.isIncoming:
      calls[id]?.call.state = .ringing
      if let call = calls[id]?.call { notify(.call(.changed(call))) }
    case .answer where !record.call.isIncoming && record.call.state != .connected:
      calls[id]?.endpoint = endpoint
      connect(id)
    case .update: if let text = note.text { notify(.call(.update(record.call, text))) }
    // The service ends the call for all of the other side's endpoints, and says so.
    case .ringing, .answer, .decline, .busy, .hangUp: break
    }
  }

  mutating func endCall(_ id: CallID, _ end: CallEnd) {
    guard let record = calls[id], record.call.state != .ended else { return }
    calls[id]?.call.state = .ended
    calls[id]?.call.end = end
    if let call = calls[id]?.call { notify(.call(.ended(call))) }
    // Ended calls are kept for as long as an old offer might come again; their number is bounded.
    let ended = calls.values.filter { $0.call.state == .ended }
    let settled = ended.filter { $0.owedStep == nil }
    if ended.count > Self.maximumCalls / 2,
      let first = (settled.isEmpty ? ended : settled).map(\.call.id).min(by: { $0.text < $1.text })
    {
      calls[first] = nil
    }
  }
}
