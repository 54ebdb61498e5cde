import Basics
import Meetings
import SFU
import Signaling

/// An input of a room that has no answer of its own. Calls with an answer are methods of ``RoomMachine``.
enum RoomCommand {
  /// A message came over a socket. `size` is that of the message as it came, in bytes.
  case message(ClientMessage, id: Int?, size: Int, from: String, over: SignalingChannel)
  /// A socket is gone.
  case detach(participant: String, SignalingChannel)
  /// The media plane reports something.
  case media(MediaEvent)
  /// The media plane has answered an offer; see ``RoomWait/offer(token:participant:offer:tracks:)``.
  case offerAnswered(token: UInt64, Result<OfferAnswer, MediaWorkerError>)
  /// The audit entries of a request are on the disk, or can't be written just now; see ``RoomWait/audit(token:)``.
  case audited(token: UInt64)
  /// Slots that can't carry their publications.
  case slotsRefused([String], receiver: String)
  /// The journal up to this write is on the disk, or can't be written just now.
  case journalWritten(through: UInt64, Bool)
  /// A token to come back with was made.
  case tokenRefreshed(RefreshedToken, participant: String, insteadOf: JoinGrant)
  /// A participant has another join token, which was verified.
  case renewToken(Admission, participant: String, id: Int?, SignalingChannel)
  /// A join token isn't valid any more.
  case revokeToken(TokenID, TenantID)
  /// An API secret is out of use, and every token that it proved.
  case retireKey(String, TenantID)
  /// The meeting was changed.
  case changeMeeting(MeetingRecord)
  /// The meeting ends for everybody.
  case end(EndReason, String)
  /// The media plane dropped or refused what a participant sent.
  case refuse(SignalingRefusal, participant: String)
  /// The room's deadline has come; see ``RoomMachine/deadline``.
  case timeout
}

/// The reason why a command waits before it goes on. The socket's next message waits for it too.
enum RoomWait {
  /// The media plane's answer to an offer.
  case offer(token: UInt64, participant: String, offer: String, tracks: [MediaTrack])
  /// The audit entries that were added last.
  case audit(token: UInt64)
}
