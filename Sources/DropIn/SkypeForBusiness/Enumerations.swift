/// The state of a conversation.
public enum SfBConversationState: Int32, Sendable {
  /// Not in a meeting: never joined, left, or ended.
  case idle = 0
  /// The guest is joining.
  case establishing = 1
  /// Waiting to be let in.
  case inLobby = 2
  /// The guest is in the meeting.
  case established = 3
}

/// The state of a participant.
public enum SfBParticipantState: Int32, Sendable {
  case inLobby = 0
  case connected = 1
}

/// The permissions of a participant, as a role.
public enum SfBParticipantRole: Int32, Sendable {
  case attendee = 0
  /// Looks after the others.
  case leader = 1
}

/// The state of a participant's chat, audio or video.
public enum SfBParticipantServiceState: Int32, Sendable {
  case disconnected = 0
  case connecting = 1
  case connected = 2
}

/// Whether oneself can be heard.
public enum SfBAudioServiceMuteState: Int32, Sendable {
  case unmuted = 0
  case muted = 1
  /// Unmuting was asked for; the others do not hear anything yet.
  case unmuting = 2
}

/// The kind of an audio output.
public enum SfBSpeakerEndpoint: Int32, Sendable {
  case loudspeaker = 1
  case nonLoudspeaker = 2
}

/// The direction in which a camera looks.
public enum SfBCameraType: Int32, Sendable {
  case unknown = 1
  case external = 2
  case frontFacing = 3
  case backFacing = 4
}

/// How video fills a layer of another shape.
public enum SfBVideoStreamAutoFitMode: Int32, Sendable {
  /// All of the frame, with borders.
  case fit = 0
  /// All of the layer, with the frame cut.
  case crop = 1
}

/// The kind of an item of the history.
public enum SfBActivityType: Int32, Sendable {
  case participantJoined = 0
  case participantLeft = 1
  case message = 2
  case unknown = 3
}

/// The delivery state of a message.
public enum SfBMessageStatus: Int32, Sendable {
  case pending = 0
  case failed = 1
  case succeeded = 2
}

/// The direction of a message.
public enum SfBMessageDirection: Int32, Sendable {
  case incoming = 0
  case outgoing = 1
}

/// How a message is written.
public enum SfBMessageFormat: Int32, Sendable {
  case text = 0
}

/// How bad an alert is.
public enum SfBAlertLevel: Int32, Sendable {
  case error = 0
  case warning = 1
  case info = 2
}

/// The subject of an alert.
public enum SfBAlertType: Int32, Sendable {
  case messaging = 101
  case ucwaObjectModel = 200
  case autoDiscovery = 201
  case signIn = 300
  case signOut = 301
  case connectivity = 302
  case conferencing = 500
  case participantMute = 504
  case participantUnmute = 505
  case conferenceUnexpectedDisconnect = 514
  case video = 600
  case videoOverWiFiBlocked = 602
  case videoGenericError = 603
  case voice = 700
  case callFailed = 708
  case conferenceIsRecording = 1004
  case communication = 1100
  case common = 1200
}
