import Messaging
import MessagingClient

/// The voice or video call that there is.
@MainActor final class ActiveCall: Equatable {
  let info: BBMCall
  var id: CallID { info.id }
  /// Whether this side has answered, or the other one.
  var isAnswered = false
  /// Whether the camera is to be on once media flows.
  var wantsVideo: Bool
  /// Whether the camera is being turned on or off.
  var isCameraBusy = false
  var session: CallSession?
  var tracks: CallMediaTracks?

  init(_ info: BBMCall, wantsVideo: Bool) {
    self.info = info
    self.wantsVideo = wantsVideo
  }

  nonisolated static func == (one: ActiveCall, other: ActiveCall) -> Bool { one === other }
}

/// A call or a data connection that the server has not taken yet.
@MainActor final class Placement {
  let medium: CallMedium
  let peer: RegID
  /// Whether it is of no use any more: the server's answer ends it.
  var isCancelled = false

  init(_ medium: CallMedium, to peer: RegID) {
    self.medium = medium
    self.peer = peer
  }
}

/// A data connection with what carries it.
@MainActor final class DataCall {
  let connection: BBMDataConnection
  let peer: RegID
  /// Whether one side has accepted it.
  var isAccepted = false
  var session: CallSession?

  init(_ connection: BBMDataConnection, with peer: RegID) {
    self.connection = connection
    self.peer = peer
  }
}
