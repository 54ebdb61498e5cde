import Meetings
import Signaling

extension MeetingRoom.Refusal {
  /// What the client is told.
  var answer: (code: SignalingErrorCode, message: String) {
    switch self {
    case .full: (.meetingFull, "The meeting has as many participants as it may have.")
    case .quota(let reached): (.quotaReached, reached.text)
    case .expired: (.meetingExpired, "The meeting is over.")
    case .tokenExpired: (.tokenExpired, JoinRefusal.tokenExpired.description)
    case .badOffer(let why): (.badOffer, why)
    case .resumeExpired: (.resumeExpired, "The place in the meeting was given up. Join again.")
    case .wrongOrigin: (.wrongOrigin, "The place belongs to a web page of another origin.")
    case .banned: (.banned, JoinRefusal.banned.description)
    case .over(_, let why): (.resumeExpired, why)
    case .locked: (.meetingLocked, "The meeting is locked: nobody more is let in just now.")
    case .passcode: (.passcodeRequired, "The meeting has got another passcode. Ask whoever invited you for it.")
    case .refused(let refusal):
      (SignalingErrorCode(rawValue: refusal.code) ?? .internalError, refusal.description)
    case .notStarted(let time, let zone):
      (
        .notStarted,
        "The meeting begins at \(time.text.prefix(16).replacing("T", with: " ")) (\(zone)). Come back then."
      )
    case .cancelled: (.meetingCancelled, "The meeting was called off.")
    case .lobbyFull: (.lobbyFull, "Too many people wait to be let in already. Try again later.")
    case .closed: (.internalError, "The meeting is ending. Join again.")
    case .unavailable: (.internalError, "The server cannot take anybody in just now. Try again in a moment.")
    }
  }
}
