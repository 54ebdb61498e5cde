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

/// A data connection with what carries it.
@MainActor final class DataCall {
  let connection: BBMDataConnection
  /// Whether one side has accepted it.
  var isAccepted = false
  var session: CallSession?

  init(_ connection: BBMDataConnection) { self.connection = connection }
}
