/// The stable codes of the protocol's `error` message. A client decides by the code; the sentence next to it is for
/// people.
public enum SignalingErrorCode: String, Sendable, Hashable, Codable, CaseIterable {
  /// The message isn't a JSON object, lacks a key, or a value has the wrong type or form.
  case badMessage
  /// The `type` is not one this version knows. Never fatal.
  case unknownType
  /// The message is larger or deeper than ``SignalingLimits`` allows.
  case tooLarge
  /// More messages a second than the server accepts.
  case tooFast
  /// A data message was dropped because its sender sends more than ``DataLimits`` allow. Never fatal.
  case dataTooFast
  /// The reliable data channel was closed because its reader did not take what came. Never fatal.
  case dataTooSlow
  /// The join token is forged, damaged, revoked, or for another server.
  case badToken
  /// The join token was valid once.
  case tokenExpired
  /// The server lets nobody in without a token.
  case tokenRequired
  /// The server's meetings are for people who sign in; only HTTP answers say so.
  case signInRequired
  /// The page's origin is neither the server's own nor one that the token allows.
  case wrongOrigin
  /// The join token is good, and for another meeting than the one that was asked for.
  case wrongMeeting
  /// The meeting of the token or URL does not exist.
  case noSuchMeeting
  /// The meeting's time is over.
  case meetingExpired
  /// The meeting is scheduled, and begins later; the sentence says when.
  case notStarted
  /// The meeting was called off.
  case meetingCancelled
  /// A host has removed its holder from this meeting permanently, or somebody whom nobody knows from the same network.
  case banned
  /// The meeting has as many participants as it may have.
  case meetingFull
  /// The tenant has as many meetings or participants at once as it may have; the sentence names the limit.
  case quotaReached
  /// The meeting has a passcode, and `join` brought none.
  case passcodeRequired
  /// The passcode is another one.
  case wrongPasscode
  /// Too many wrong passcodes came from this address; the right one is refused too for a while.
  case passcodeBlocked
  /// A host has locked the meeting.
  case meetingLocked
  /// A host did not let this client in.
  case entryDenied
  /// Nobody let this client in within the time that a client may wait.
  case lobbyTimeout
  /// As many wait already as may.
  case lobbyFull
  /// The meeting is end-to-end encrypted, and the client comes without its key.
  case encryptionRequired
  /// The meeting is not end-to-end encrypted, and the client or its message is for one that is.
  case notEncrypted
  /// The display name is empty once control characters are taken out.
  case badName
  /// The SDP offer was refused; where it is not fatal and has no `id`, one of its tracks was.
  case badOffer
  /// Neither `join` nor `resume` came in time.
  case joinTimeout
  /// The session was given up; join again.
  case resumeExpired
  /// The role does not allow this, or it is not possible in this state.
  case notAllowed
  /// The server failed; the log says why.
  case internalError = "internal"
}
