public import Foundation
public import ParleyViews

// The names as Swift 2 spelled them, and the same calls with the classes of Foundation that it used.

extension SfBApplication {
  /// ``shared()`` as Swift 2 spelled it.
  public class func sharedApplication() -> SfBApplication! { shared() }

  /// Joins a meeting by its address, as Swift 2 spelled it.
  public func joinMeetingAnonymousWithUri(_ meetingUri: NSURL?, displayName: String) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withUri: meetingUri.map(Self.url), displayName: displayName)
  }

  /// Joins a meeting by its address, as Swift 2 spelled it.
  public func joinMeetingAnonymousWithUri(_ meetingUri: URL, displayName: String) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withUri: meetingUri, displayName: displayName)
  }

  /// Joins a meeting by its discover address, as Swift 2 spelled it.
  public func joinMeetingAnonymousWithDiscoverUrl(
    _ discoverUrl: NSURL?, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withDiscover: discoverUrl.map(Self.url), authToken: authToken, displayName: displayName)
  }

  /// Joins a meeting by its discover address, as Swift 2 spelled it.
  public func joinMeetingAnonymousWithDiscoverUrl(
    _ discoverUrl: URL, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withDiscover: discoverUrl, authToken: authToken, displayName: displayName)
  }

  /// Joins a meeting by its address.
  public func joinMeetingAnonymous(withUri meetingUri: NSURL, displayName: String) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withUri: Self.url(meetingUri), displayName: displayName)
  }

  /// Joins a meeting by its discover address.
  public func joinMeetingAnonymous(
    withDiscover discoverUrl: NSURL, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withDiscover: Self.url(discoverUrl), authToken: authToken, displayName: displayName)
  }

  private class func url(_ url: NSURL) -> URL { url as URL }
}

extension SfBVideoService {
  /// ``showPreview(on:)`` as Swift 2 spelled it.
  public func showPreviewOnView(_ view: UIView?) throws -> SfBVideoPreview { try showPreview(on: view) }

  /// ``showPreview(on:)`` as the SDK spelled it before June 2016.
  public func preview(_ view: UIView?) throws -> SfBVideoPreview { try showPreview(on: view) }
}

extension SfBConversationState {
  public static let Idle = idle
  public static let Establishing = establishing
  public static let InLobby = inLobby
  public static let Established = established
}

extension SfBParticipantState {
  public static let InLobby = inLobby
  public static let Connected = connected
}

extension SfBParticipantRole {
  public static let Attendee = attendee
  public static let Leader = leader
}

extension SfBParticipantServiceState {
  public static let Disconnected = disconnected
  public static let Connecting = connecting
  public static let Connected = connected
}

extension SfBAudioServiceMuteState {
  public static let Unmuted = unmuted
  public static let Muted = muted
  public static let Unmuting = unmuting
}

extension SfBSpeakerEndpoint {
  public static let Loudspeaker = loudspeaker
  public static let NonLoudspeaker = nonLoudspeaker
}

extension SfBCameraType {
  public static let Unknown = unknown
  public static let External = external
  public static let FrontFacing = frontFacing
  public static let BackFacing = backFacing
}

extension SfBVideoStreamAutoFitMode {
  public static let Fit = fit
  public static let Crop = crop
}

extension SfBActivityType {
  public static let ParticipantJoined = participantJoined
  public static let ParticipantLeft = participantLeft
  public static let Message = message
  public static let Unknown = unknown
}

extension SfBMessageStatus {
  public static let Pending = pending
  public static let Failed = failed
  public static let Succeeded = succeeded
}

extension SfBMessageDirection {
  public static let Incoming = incoming
  public static let Outgoing = outgoing
}

extension SfBMessageFormat {
  public static let Text = text
}

extension SfBAlertLevel {
  public static let Error = error
  public static let Warning = warning
  public static let Info = info
}

extension SfBAlertType {
  public static let Messaging = messaging
  public static let UcwaObjectModel = ucwaObjectModel
  public static let AutoDiscovery = autoDiscovery
  public static let SignIn = signIn
  public static let SignOut = signOut
  public static let Connectivity = connectivity
  public static let Conferencing = conferencing
  public static let ParticipantMute = participantMute
  public static let ParticipantUnmute = participantUnmute
  public static let ConferenceUnexpectedDisconnect = conferenceUnexpectedDisconnect
  public static let Video = video
  public static let VideoOverWiFiBlocked = videoOverWiFiBlocked
  public static let VideoGenericError = videoGenericError
  public static let Voice = voice
  public static let CallFailed = callFailed
  public static let ConferenceIsRecording = conferenceIsRecording
  public static let Communication = communication
  public static let Common = common
}

extension SfBError {
  public static let InvalidArgument = invalidArgument
  public static let ActionNotAvailable = actionNotAvailable
  public static let VideoLicenseNotAccepted = videoLicenseNotAccepted
}
