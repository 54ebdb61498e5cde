public import Basics

/// A request of a ``KeyExchange`` to its owner.
public enum KeyEffect: Equatable, Sendable {
  /// Send this announcement to everybody, and to those who come later.
  case announce([UInt8])
  /// Send these envelopes, in one message where that is possible.
  case send([KeyEnvelope])
  /// Notify the app of this event.
  case notify(KeyEvent)
}

/// A sealed message for one participant.
public struct KeyEnvelope: Hashable, Sendable {
  public let recipient: ParticipantID
  /// The sealed bytes, which the server passes on.
  public let bytes: [UInt8]
}

/// A change of a meeting's keys that concerns people or the media path.
public enum KeyEvent: Hashable, Sendable {
  /// A participant's announcement was accepted, or its name changed.
  case member(ParticipantID, name: String)
  /// A participant holds keys no more.
  case memberLeft(ParticipantID)
  /// An announcement was refused: the participant gets no keys, or keeps those of before.
  case refused(ParticipantID, KeyMessageError)
  /// ``KeyExchange/safetyCode`` is another.
  case safetyCodeChanged
  /// ``KeyExchange/waitingFor`` is another.
  case waitingChanged
  /// A key has come that frames lacked: open those that wait, or ask for a key frame.
  case keyFrameNeeded(ParticipantID)
  /// Somebody who joined can open this client's frames from now on: encode key frames.
  case ownKeyFrameNeeded
  /// A participant sends keys to other people than this client knows of.
  case rosterMismatch(ParticipantID)
}
