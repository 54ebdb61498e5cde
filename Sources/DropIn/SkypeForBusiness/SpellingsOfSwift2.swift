public import Foundation
public import ParleyViews

// The names as Swift 2 spelled them, and the same calls with the classes of Foundation that it used.

extension SfBApplication {
  /// ``shared()`` as Swift 2 spelled it.
  public class func sharedApplication() -> Self? { shared() }
  /// ``shared()`` as Swift 2 spelled it, for `let sfb: SfBApplication = …`.
  @_disfavoredOverload public class func sharedApplication() -> SfBApplication { shared() }

  /// Joins a meeting by its address, as Swift 2 spelled it.
  @discardableResult public func joinMeetingAnonymousWithUri(
    _ meetingUri: NSURL, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withUri: meetingUri, displayName: displayName)
  }

  /// Joins a meeting by its address, as Swift 2 spelled it.
  @discardableResult public func joinMeetingAnonymousWithUri(
    _ meetingUri: URL, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withUri: meetingUri, displayName: displayName)
  }

  /// Joins a meeting by its discover address, as Swift 2 spelled it.
  @discardableResult public func joinMeetingAnonymousWithDiscoverUrl(
    _ discoverUrl: NSURL, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withDiscover: discoverUrl, authToken: authToken, displayName: displayName)
  }

  /// Joins a meeting by its discover address, as Swift 2 spelled it.
  @discardableResult public func joinMeetingAnonymousWithDiscoverUrl(
    _ discoverUrl: URL, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withDiscover: discoverUrl, authToken: authToken, displayName: displayName)
  }

  /// Joins a meeting by its address.
  @discardableResult public func joinMeetingAnonymous(
    withUri meetingUri: NSURL, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withUri: meetingUri as URL, displayName: displayName)
  }

  /// Joins a meeting by its discover address.
  @discardableResult public func joinMeetingAnonymous(
    withDiscover discoverUrl: NSURL, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withDiscover: discoverUrl as URL, authToken: authToken, displayName: displayName)
  }
}

extension SfBVideoService {
  /// ``showPreview(on:)`` as Swift 2 spelled it.
  @discardableResult public func showPreviewOnView(_ view: UIView) throws -> SfBVideoPreview {
    try showPreview(on: view)
  }

  /// ``showPreview(on:)`` as the SDK spelled it before June 2016.
  @discardableResult public func preview(_ view: UIView) throws -> SfBVideoPreview { try showPreview(on: view) }
}

extension SfBConversationState {
  /// ``idle`` in the spelling of Swift 2.
  public static let Idle = idle
  /// ``establishing`` in the spelling of Swift 2.
  public static let Establishing = establishing
  /// ``inLobby`` in the spelling of Swift 2.
  public static let InLobby = inLobby
  /// ``established`` in the spelling of Swift 2.
  public static let Established = established
}

extension SfBParticipantState {
  /// ``inLobby`` in the spelling of Swift 2.
  public static let InLobby = inLobby
  /// ``connected`` in the spelling of Swift 2.
  public static let Connected = connected
}

extension SfBParticipantRole {
  /// ``attendee`` in the spelling of Swift 2.
  public static let Attendee = attendee
  /// ``leader`` in the spelling of Swift 2.
  public static let Leader = leader
}

extension SfBParticipantServiceState {
  /// ``disconnected`` in the spelling of Swift 2.
  public static let Disconnected = disconnected
  /// ``connecting`` in the spelling of Swift 2.
  public static let Connecting = connecting
  /// ``connected`` in the spelling of Swift 2.
  public static let Connected = connected
}

extension SfBAudioServiceMuteState {
  /// ``unmuted`` in the spelling of Swift 2.
  public static let Unmuted = unmuted
  /// ``muted`` in the spelling of Swift 2.
  public static let Muted = muted
  /// ``unmuting`` in the spelling of Swift 2.
  public static let Unmuting = unmuting
}

extension SfBSpeakerEndpoint {
  /// ``loudspeaker`` in the spelling of Swift 2.
  public static let Loudspeaker = loudspeaker
  /// ``nonLoudspeaker`` in the spelling of Swift 2.
  public static let NonLoudspeaker = nonLoudspeaker
}

extension SfBCameraType {
  /// ``unknown`` in the spelling of Swift 2.
  public static let Unknown = unknown
  /// ``external`` in the spelling of Swift 2.
  public static let External = external
  /// ``frontFacing`` in the spelling of Swift 2.
  public static let FrontFacing = frontFacing
  /// ``backFacing`` in the spelling of Swift 2.
  public static let BackFacing = backFacing
}

extension SfBVideoStreamAutoFitMode {
  /// ``fit`` in the spelling of Swift 2.
  public static let Fit = fit
  /// ``crop`` in the spelling of Swift 2.
  public static let Crop = crop
}

extension SfBActivityType {
  /// ``participantJoined`` in the spelling of Swift 2.
  public static let ParticipantJoined = participantJoined
  /// ``participantLeft`` in the spelling of Swift 2.
  public static let ParticipantLeft = participantLeft
  /// ``message`` in the spelling of Swift 2.
  public static let Message = message
  /// ``unknown`` in the spelling of Swift 2.
  public static let Unknown = unknown
}

extension SfBMessageStatus {
  /// ``pending`` in the spelling of Swift 2.
  public static let Pending = pending
  /// ``failed`` in the spelling of Swift 2.
  public static let Failed = failed
  /// ``succeeded`` in the spelling of Swift 2.
  public static let Succeeded = succeeded
}

extension SfBMessageDirection {
  /// ``incoming`` in the spelling of Swift 2.
  public static let Incoming = incoming
  /// ``outgoing`` in the spelling of Swift 2.
  public static let Outgoing = outgoing
}

extension SfBMessageFormat {
  /// ``text`` in the spelling of Swift 2.
  public static let Text = text
}

extension SfBAlertLevel {
  /// ``error`` in the spelling of Swift 2.
  public static let Error = error
  /// ``warning`` in the spelling of Swift 2.
  public static let Warning = warning
  /// ``info`` in the spelling of Swift 2.
  public static let Info = info
}

extension SfBAlertType {
  /// ``messaging`` in the spelling of Swift 2.
  public static let Messaging = messaging
  /// ``ucwaObjectModel`` in the spelling of Swift 2.
  public static let UcwaObjectModel = ucwaObjectModel
  /// ``autoDiscovery`` in the spelling of Swift 2.
  public static let AutoDiscovery = autoDiscovery
  /// ``signIn`` in the spelling of Swift 2.
  public static let SignIn = signIn
  /// ``signOut`` in the spelling of Swift 2.
  public static let SignOut = signOut
  /// ``connectivity`` in the spelling of Swift 2.
  public static let Connectivity = connectivity
  /// ``conferencing`` in the spelling of Swift 2.
  public static let Conferencing = conferencing
  /// ``participantMute`` in the spelling of Swift 2.
  public static let ParticipantMute = participantMute
  /// ``participantUnmute`` in the spelling of Swift 2.
  public static let ParticipantUnmute = participantUnmute
  /// ``conferenceUnexpectedDisconnect`` in the spelling of Swift 2.
  public static let ConferenceUnexpectedDisconnect = conferenceUnexpectedDisconnect
  /// ``video`` in the spelling of Swift 2.
  public static let Video = video
  /// ``videoOverWiFiBlocked`` in the spelling of Swift 2.
  public static let VideoOverWiFiBlocked = videoOverWiFiBlocked
  /// ``videoGenericError`` in the spelling of Swift 2.
  public static let VideoGenericError = videoGenericError
  /// ``voice`` in the spelling of Swift 2.
  public static let Voice = voice
  /// ``callFailed`` in the spelling of Swift 2.
  public static let CallFailed = callFailed
  /// ``conferenceIsRecording`` in the spelling of Swift 2.
  public static let ConferenceIsRecording = conferenceIsRecording
  /// ``communication`` in the spelling of Swift 2.
  public static let Communication = communication
  /// ``common`` in the spelling of Swift 2.
  public static let Common = common
}

extension SfBError {
  /// ``invalidArgument`` in the spelling of Swift 2.
  public static let InvalidArgument = invalidArgument
  /// ``actionNotAvailable`` in the spelling of Swift 2.
  public static let ActionNotAvailable = actionNotAvailable
  /// ``videoLicenseNotAccepted`` in the spelling of Swift 2.
  public static let VideoLicenseNotAccepted = videoLicenseNotAccepted
}
