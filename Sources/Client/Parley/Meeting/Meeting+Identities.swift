import Basics
import Crypto
import Encryption

/// Identities of an encrypted meeting's participants: codes that two compare, and whether somebody was there before.
extension Meeting {
  /// 60 digits that two people compare, the same on both sides; nil before the other's key is known. With lasting
  /// identities they stay the same in each meeting.
  ///
  /// ```swift
  /// if let code = meeting.pairCode(with: participant) { print("Compare with \(participant.name): \(code)") }
  /// ```
  public func pairCode(with participant: RemoteParticipant) -> String? {
    guard let own = secret?.publicKey, let bytes = participant.identity?.publicKey else { return nil }
    return try? SafetyCode.digits(of: own, and: Ed25519.PublicKey(bytes))
  }

  /// Trusts a participant who came with ``ParticipantIdentity/Recognition/changed``, once the codes of
  /// ``pairCode(with:)`` were compared: their key is remembered under their name.
  ///
  /// ```swift
  /// if participant.identity?.recognition == .changed { meeting.trust(participant) }
  /// ```
  public func trust(_ participant: RemoteParticipant) {
    guard let secret, let identity = participant.identity, identity.recognition == .changed,
      let name = secret.names[participant.id], let key = try? Ed25519.PublicKey(identity.publicKey)
    else { return }
    knownIdentities?.remember(key, named: name, in: secret.meetingID)
    let trusted = ParticipantIdentity(publicKey: identity.publicKey, recognition: .newDevice, earlierName: nil)
    secret.recognised[key] = (name, trusted)
    secret.identities[participant.id] = trusted
    participant.identity = trusted
    emit(.participantUpdated(participant))
  }

  // MARK: Recognising

  /// Compares somebody's identity with those of earlier meetings, once for each name that it signs.
  func recognise(_ key: Ed25519.PublicKey, named name: String, of id: String, _ secret: MeetingSecret) {
    let known = secret.recognised[key]
    if let known, known.name == name, secret.identities[id] == known.identity { return }
    var identity = ParticipantIdentity(publicKey: key.rawValue, recognition: nil, earlierName: nil)
    if let known, known.name == name {
      identity = known.identity
    } else {
      // The ones that this meeting adds don't count: they were seen nowhere before.
      if let before = options.knownIdentities {
        identity = before.recognition(of: key, named: name)
        recognised(identity, key, named: name, secret)
      }
      secret.recognised[key] = (name, identity)
    }
    secret.identities[id] = identity
    guard let present = roster[id] else { return }
    present.identity = identity
    emit(.participantUpdated(present))
  }

  private func recognised(
    _ identity: ParticipantIdentity, _ key: Ed25519.PublicKey, named name: String, _ secret: MeetingSecret
  ) {
    switch identity.recognition {
    case .sameDevice, .newDevice, .renamed, nil: knownIdentities?.remember(key, named: name, in: secret.meetingID)
    case .changed:
      // It isn't remembered under this name, or it would be trusted the next time.
      emit(
        .problem(
          "\(name) is not on the device that you know from earlier meetings: it is a new one, or somebody else under this name. Compare the code of you two."
        ))
    }
  }

  /// A signed name counts more than the server's word.
  func takeSignedName(_ name: String, of id: String, _ secret: MeetingSecret) {
    secret.names[id] = name
    guard let known = roster[id], known.name != name else { return }
    known.name = name
    emit(.participantUpdated(known))
  }
}
