import Parley

/// Says once whether somebody was there in an earlier encrypted meeting.
struct RecognitionReport {
  private var said: [String: String] = [:]

  /// The sentence about a participant; nil where there is none, or it was said.
  @MainActor mutating func words(of participant: any Participant) -> String? {
    guard let identity = (participant as? RemoteParticipant)?.identity,
      let words = Self.words(identity, of: participant.name), said.updateValue(words, forKey: participant.id) != words
    else { return nil }
    return words
  }

  /// The warning about a changed one is an event of its own.
  static func words(_ identity: ParticipantIdentity, of name: String) -> String? {
    switch identity.recognition {
    case .renamed: "\(name) is on the device that you know as “\(identity.earlierName ?? "somebody else")”"
    case .sameDevice: "\(name) is on the same device as in an earlier meeting"
    case .newDevice, .changed, nil: nil
    }
  }
}
