import Basics
import Crypto
import Encryption
import Signaling

/// A request of ``MeetingKeys`` to the meeting.
enum KeyOutput: Equatable {
  case send(ClientMessage)
  /// The encryption as this client has verified it.
  case changed(MeetingEncryption)
  /// A key of this participant has come that frames lacked: open those that wait, ask for key frames for the others.
  case keyframesWanted(ParticipantID)
  /// Encode key frames of what this client sends: somebody who joined can open them from now on.
  case ownKeyframesWanted
  /// The name that somebody has signed, and the key that signs.
  case named(ParticipantID, String, Ed25519.PublicKey)
  case problem(ParticipantID, KeyProblem)
  /// This client's secret isn't the meeting's: leave.
  case wrongSecret
}

/// Trouble with somebody's keys.
enum KeyProblem: Hashable {
  /// A message about keys was not accepted.
  case refused(KeyMessageError)
  /// Somebody has keys whom signalling does not show.
  case unseen
  /// Somebody gives their keys to other people than this client sees.
  case otherRoster

  /// A sentence for people; nil for what repairs itself. `name` is that of the participant, nil for this client.
  func sentence(_ name: String?) -> String? {
    guard let name else {
      return self == .refused(.identityChanged)
        ? "Somebody else takes part in your name. Compare the safety code before you go on."
        : "The keys of this device could not be renewed; if it stays so, leave and join again."
    }
    switch self {
    case .unseen:
      return "\(name) can see and hear this meeting and is not shown among the participants. Compare the safety code."
    case .otherRoster:
      return "\(name) sees other people in this meeting than you do. Compare the safety code before you go on."
    case .refused(let error): return Self.sentence(error, name)
    }
  }

  private static func sentence(_ error: KeyMessageError, _ name: String) -> String? {
    switch error {
    case .wrongSecret: "\(name) came with another link than yours, and can neither see nor hear this meeting."
    case .identityChanged:
      "Somebody else may be posing as \(name): their keys changed in the middle of the meeting. Nothing is sent to the new ones. Compare the safety code."
    case .wrongSignature, .misdirected:
      "The keys of \(name) were changed on their way, and are not used. You cannot see and hear each other."
    case .malformed: "\(name) uses a kind of encryption that this program does not know; theirs may be newer."
    case .tooMany:
      "This meeting has more people than can take part encrypted, so you and \(name) cannot see and hear each other."
    // The exchange repairs these by itself.
    case .replayed, .unknownSender, .indexTaken, .authenticationFailed, .failed: nil
    }
  }
}
