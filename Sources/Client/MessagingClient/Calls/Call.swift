package import Encryption
package import Messaging

/// A call or a data connection with one other identity.
package struct Call: Sendable, Hashable {
  package enum State: String, Sendable {
    /// The offer is with the other side.
    case offered
    case ringing, connected, ended
  }

  package var id: CallID
  package var peer: RegID
  package var isIncoming: Bool
  package var medium: CallMedium
  package var state: State
  /// The app's part of the offer, at most 4 KB.
  package var metadata: String?
  /// Why it is over.
  package var end: CallEnd?
}

/// News of calls, in order.
package enum CallEvent: Sendable, Hashable {
  /// Somebody calls. Ring, answer or decline.
  case offered(Call)
  case changed(Call)
  /// Both sides agree: the media flows over this meeting.
  case connect(Call, CallMeeting)
  /// Something of the other side's app.
  case update(Call, String)
  case ended(Call)
  /// A call came whose offer is not signed by its sender's pinned key. It is declined unseen.
  case refused(CallID, from: RegID)
}

/// The encrypted meeting of two that carries a call. The service knows its room and never its secret.
package struct CallMeeting: Sendable, Hashable {
  package var room: String
  package var token: String
  package var secret: LinkSecret
}
