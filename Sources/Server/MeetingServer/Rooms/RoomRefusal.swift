import Meetings
import Signaling

/// The reason of a refusal, and the message to the client.
extension MeetingRoom {
  /// Why a room does not take somebody.
  enum Refusal: Error, Sendable, Equatable {
    /// The room has just ended; a new one is to be made.
    case closed
    case full
    /// The tenant has what it may have: which limit, as a sentence.
    case quota(LimitReached)
    case expired
    /// The token ended while its holder waited, and nobody is here without one.
    case tokenExpired
    case badOffer(String)
    case unavailable(String)
    case resumeExpired
    case wrongOrigin
    case locked
    /// The meeting has got another passcode since they came.
    case passcode
    /// The token or address that was accepted a moment ago isn't any more.
    case refused(JoinRefusal)
    case lobbyFull
    /// The meeting is scheduled and begins later: when, on the clocks of which zone.
    case notStarted(CivilTime, zone: String)
    case cancelled
    /// The meeting is encrypted, and the client comes without its key.
    case encryptionRequired
    /// The client comes to an encrypted meeting, which this one isn't.
    case notEncrypted
    /// A host removed this user from the meeting permanently.
    case banned
    /// The place ended by somebody's decision: for what reason, and in words.
    case over(EndReason, String)
  }
}

extension MeetingRoom.Refusal {
  /// The message to the client.
  var answer: SignalingRefusal {
    switch self {
    case .full: .init(.meetingFull, "The meeting has as many participants as it may have (capacity).")
    case .quota(let reached): .init(.quotaReached, reached.text)
    case .expired: .init(.meetingExpired, "The meeting is over.")
    case .tokenExpired: .init(.tokenExpired, JoinRefusal.tokenExpired.description)
    case .badOffer(let why): .init(.badOffer, why)
    case .resumeExpired: .init(.resumeExpired, "The place in the meeting was given up. Join again.")
    case .wrongOrigin: .init(.wrongOrigin, "The place belongs to a web page of another origin.")
    case .banned: .init(.banned, JoinRefusal.banned.description)
    case .over(_, let why): .init(.resumeExpired, why)
    case .locked: .init(.meetingLocked, "The meeting is locked: nobody more is let in just now.")
    case .passcode: .init(.passcodeRequired, "The meeting has got another passcode. Ask whoever invited you for it.")
    case .refused(let refusal): SignalingRefusal(refusal)
    case .notStarted(let time, let zone):
      .init(
        .notStarted,
        "The meeting begins at \(time.text.prefix(16).replacing("T", with: " ")) (\(zone)). Come back then."
      )
    case .cancelled: .init(.meetingCancelled, "The meeting was called off.")
    case .encryptionRequired:
      .init(
        .encryptionRequired,
        "This meeting is end-to-end encrypted. Open it by its whole link, which contains the key, "
          + "with a client that can take part in encrypted meetings."
      )
    case .notEncrypted:
      .init(
        .notEncrypted, "This meeting isn't end-to-end encrypted, and the link is for one that is. Nothing was sent.")
    case .lobbyFull: .init(.lobbyFull, "Too many people wait to be let in already (lobbyPlaces). Try again later.")
    case .closed: .init(.internalError, "The meeting is ending. Join again.")
    case .unavailable: .init(.internalError, "The server cannot take anybody in just now. Try again in a moment.")
    }
  }
}
