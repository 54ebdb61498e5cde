import Foundation
import Testing

@testable import SkypeForBusiness

/// Numbers and spellings, which apps store, log and compare.
@MainActor struct EnumerationTests {
  private func check<Value: RawRepresentable & Equatable>(_ rows: [(Value, Value, Value.RawValue)])
  where Value.RawValue: Equatable {
    for (new, old, number) in rows {
      #expect(new == old && new.rawValue == number && Value(rawValue: number) == new, "\(Value.self) \(new)")
    }
  }

  // In both spellings.
  @Test("the states of conversations and people have the SDK's raw values")
  func conversations() {
    check(
      [
        (.idle, .Idle, 0), (.establishing, .Establishing, 1), (.inLobby, .InLobby, 2), (.established, .Established, 3),
      ] as [(SfBConversationState, SfBConversationState, Int32)])
    check(
      [(.inLobby, .InLobby, 0), (.connected, .Connected, 1)] as [(SfBParticipantState, SfBParticipantState, Int32)])
    check([(.attendee, .Attendee, 0), (.leader, .Leader, 1)] as [(SfBParticipantRole, SfBParticipantRole, Int32)])
    check(
      [(.disconnected, .Disconnected, 0), (.connecting, .Connecting, 1), (.connected, .Connected, 2)]
        as [(SfBParticipantServiceState, SfBParticipantServiceState, Int32)])
    check(
      [(.unmuted, .Unmuted, 0), (.muted, .Muted, 1), (.unmuting, .Unmuting, 2)]
        as [(SfBAudioServiceMuteState, SfBAudioServiceMuteState, Int32)])
  }

  @Test("devices, pictures and history have the SDK's raw values, in both spellings")
  func devices() {
    check(
      [(.loudspeaker, .Loudspeaker, 1), (.nonLoudspeaker, .NonLoudspeaker, 2)]
        as [(SfBSpeakerEndpoint, SfBSpeakerEndpoint, Int32)])
    check(
      [
        (.unknown, .Unknown, 1), (.external, .External, 2), (.frontFacing, .FrontFacing, 3),
        (.backFacing, .BackFacing, 4),
      ] as [(SfBCameraType, SfBCameraType, Int32)])
    check(
      [(.fit, .Fit, 0), (.crop, .Crop, 1)] as [(SfBVideoStreamAutoFitMode, SfBVideoStreamAutoFitMode, Int32)])
    check(
      [
        (.participantJoined, .ParticipantJoined, 0), (.participantLeft, .ParticipantLeft, 1), (.message, .Message, 2),
        (.unknown, .Unknown, 3),
      ] as [(SfBActivityType, SfBActivityType, Int32)])
    check(
      [(.pending, .Pending, 0), (.failed, .Failed, 1), (.succeeded, .Succeeded, 2)]
        as [(SfBMessageStatus, SfBMessageStatus, Int32)])
    check(
      [(.incoming, .Incoming, 0), (.outgoing, .Outgoing, 1)] as [(SfBMessageDirection, SfBMessageDirection, Int32)])
    check([(.text, .Text, 0)] as [(SfBMessageFormat, SfBMessageFormat, Int32)])
  }

  @Test("alerts have the SDK's raw values, in both spellings")
  func alerts() {
    check(
      [(.error, .Error, 0), (.warning, .Warning, 1), (.info, .Info, 2)] as [(SfBAlertLevel, SfBAlertLevel, Int32)])
    check(
      [
        (.messaging, .Messaging, 101), (.ucwaObjectModel, .UcwaObjectModel, 200),
        (.autoDiscovery, .AutoDiscovery, 201), (.signIn, .SignIn, 300), (.signOut, .SignOut, 301),
        (.connectivity, .Connectivity, 302), (.conferencing, .Conferencing, 500),
        (.participantMute, .ParticipantMute, 504), (.participantUnmute, .ParticipantUnmute, 505),
        (.conferenceUnexpectedDisconnect, .ConferenceUnexpectedDisconnect, 514), (.video, .Video, 600),
        (.videoOverWiFiBlocked, .VideoOverWiFiBlocked, 602), (.videoGenericError, .VideoGenericError, 603),
        (.voice, .Voice, 700), (.callFailed, .CallFailed, 708),
        (.conferenceIsRecording, .ConferenceIsRecording, 1_004), (.communication, .Communication, 1_100),
        (.common, .Common, 1_200),
      ] as [(SfBAlertType, SfBAlertType, Int32)])
  }

  // The number follows the symbol.
  @Test("errors have the SDK's codes, domain and severities, and end with a symbol")
  func errors() {
    check(
      [
        (.invalidArgument, .InvalidArgument, 0x2000_0003), (.actionNotAvailable, .ActionNotAvailable, 0x2308_0001),
        (.videoLicenseNotAccepted, .VideoLicenseNotAccepted, 0x2307_001A),
      ] as [(SfBError, SfBError, Int)])
    #expect(SfBErrorDomain == "SfBErrorDomain" && SfBErrorSeverityKey == "SfBErrorSeverity")
    let severities = [SfBErrorSeveritySuccess, SfBErrorSeverityWarning, SfBErrorSeverityError]
    #expect(Set(severities).count == 3)
    let error = SfBError.videoLicenseNotAccepted.because("Why.")
    #expect(error.domain == SfBErrorDomain && error.code == 0x2307_001A)
    #expect(error.localizedDescription == "Why. E_VideoLicenseNotAccepted (E3-7-26)")
    #expect(error.userInfo[SfBErrorSeverityKey] as? String == SfBErrorSeverityError)
  }

  // In both spellings.
  @Test("there is one application, never nil, with the SDK's first settings")
  func application() {
    let application: SfBApplication = SfBApplication.shared()
    let old: SfBApplication? = SfBApplication.sharedApplication()
    #expect(application === old)
    let configuration: SfBConfigurationManager = application.configurationManager
    #expect(!configuration.requireWifiForAudio && configuration.requireWifiForVideo)
    #expect(!configuration.enablePreviewFeatures && configuration.maxVideoChannels > 0)
    configuration.enablePreviewFeatures = true
    #expect(configuration.enablePreviewFeatures)
    configuration.enablePreviewFeatures = false
    #expect(application.devicesManager.selectedSpeaker.activeEndpoint == .loudspeaker)
    #expect(Set([application, old]).count == 1)
  }
}
