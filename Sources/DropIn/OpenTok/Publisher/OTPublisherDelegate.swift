public import ParleyViews

/// Told what becomes of a publisher, on the `apiQueue` of its session. Only `publisher(_:didFailWithError:)` must be there.
public protocol OTPublisherKitDelegate: AnyObject {
  /// It could not be published, or was ended by an error. It belongs to no session any more.
  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError)
  /// It is a stream of the session now.
  func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream)
  /// It is no longer.
  func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream)
  /// A moderator has muted its sound.
  func muteForced(_ publisher: OTPublisherKit)
  /// The picture is not sent any more.
  func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason)
  /// The picture is sent again.
  func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason)
  /// The network hardly takes the picture.
  func publisherVideoDisableWarning(_ publisher: OTPublisherKit)
  /// It does again.
  func publisherVideoDisableWarningLifted(_ publisher: OTPublisherKit)
  /// The spelling of some wrappers.
  func videoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason)
  /// The spelling of some wrappers.
  func videoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason)
  /// The spelling of some wrappers.
  func videoDisableWarning(_ publisher: OTPublisherKit)
  /// The spelling of some wrappers.
  func videoDisableWarningLifted(_ publisher: OTPublisherKit)
  /// Version 1: media flows.
  func publisherDidStartStreaming(_ publisher: OTPublisherKit)
  /// Version 1: media flows no more.
  func publisherDidStopStreaming(_ publisher: OTPublisherKit)
}

extension OTPublisherKitDelegate {
  /// Does nothing.
  public func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream) {}
  /// Does nothing.
  public func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream) {}
  /// Does nothing.
  public func muteForced(_ publisher: OTPublisherKit) {}
  /// Does nothing.
  public func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  /// Does nothing.
  public func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  /// Does nothing.
  public func publisherVideoDisableWarning(_ publisher: OTPublisherKit) {}
  /// Does nothing.
  public func publisherVideoDisableWarningLifted(_ publisher: OTPublisherKit) {}
  /// Does nothing.
  public func videoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  /// Does nothing.
  public func videoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  /// Does nothing.
  public func videoDisableWarning(_ publisher: OTPublisherKit) {}
  /// Does nothing.
  public func videoDisableWarningLifted(_ publisher: OTPublisherKit) {}
  /// Does nothing.
  public func publisherDidStartStreaming(_ publisher: OTPublisherKit) {}
  /// Does nothing.
  public func publisherDidStopStreaming(_ publisher: OTPublisherKit) {}
}

/// As ``OTPublisherKitDelegate``, and told of the camera.
///
/// Version 1 knew `OTPublisher` alone, and its apps write the methods of ``OTPublisherKitDelegate`` with it. Either spelling counts, also that of
/// the method that must be there; where an app has both, that of version 2 is called.
public protocol OTPublisherDelegate: OTPublisherKitDelegate {
  /// Another camera is used.
  func publisher(_ publisher: OTPublisher, didChangeCameraPosition position: AVCaptureDevice.Position)

  /// Version 1: it could not be published, or was ended by an error.
  func publisher(_ publisher: OTPublisher, didFailWithError error: OTError)
  /// Version 1: media flows.
  func publisherDidStartStreaming(_ publisher: OTPublisher)
  /// Version 1: media flows no more.
  func publisherDidStopStreaming(_ publisher: OTPublisher)
  /// It is a stream of the session now, in the types of version 1.
  func publisher(_ publisher: OTPublisher, streamCreated stream: OTStream)
  /// It is no longer, in the types of version 1.
  func publisher(_ publisher: OTPublisher, streamDestroyed stream: OTStream)
  /// A moderator has muted its sound, in the types of version 1.
  func muteForced(_ publisher: OTPublisher)
  /// The picture is not sent any more, in the types of version 1.
  func publisherVideoDisabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason)
  /// The picture is sent again, in the types of version 1.
  func publisherVideoEnabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason)
  /// The network hardly takes the picture, in the types of version 1.
  func publisherVideoDisableWarning(_ publisher: OTPublisher)
  /// It does again, in the types of version 1.
  func publisherVideoDisableWarningLifted(_ publisher: OTPublisher)
}

extension OTPublisherDelegate {
  /// Does nothing.
  public func publisher(_ publisher: OTPublisher, didChangeCameraPosition position: AVCaptureDevice.Position) {}
}

/// Told how loud a publisher is, ten times a second.
public protocol OTPublisherKitAudioLevelDelegate: AnyObject {
  /// 0 is silence, 1 the loudest there is.
  func publisher(_ publisher: OTPublisherKit, audioLevelUpdated audioLevel: Float)
}

/// Told once a second what a publisher has sent.
public protocol OTPublisherKitNetworkStatsDelegate: AnyObject {
  /// Of the picture; one element, since the server passes it on.
  func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats])
  /// Of the sound.
  func publisher(_ publisher: OTPublisherKit, audioNetworkStatsUpdated stats: [OTPublisherKitAudioNetworkStats])
  /// Of the connection that both share.
  func publisher(_ publisher: OTPublisherKit, mediaLinkStatsUpdated stats: [OTPublisherKitMediaLinkStats])
}

extension OTPublisherKitNetworkStatsDelegate {
  /// Does nothing.
  public func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats])
  {}
  /// Does nothing.
  public func publisher(_ publisher: OTPublisherKit, audioNetworkStatsUpdated stats: [OTPublisherKitAudioNetworkStats])
  {}
  public func publisher(_ publisher: OTPublisherKit, mediaLinkStatsUpdated stats: [OTPublisherKitMediaLinkStats]) {}
}

/// Given the report that ``OTPublisherKit/getRtcStatsReport()`` asks for.
public protocol OTPublisherKitRtcStatsReportDelegate: AnyObject {
  /// One element, since the server passes everything on.
  func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats])
}

extension OTPublisherKitRtcStatsReportDelegate {
  public func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats]) {}
}
