public import ParleyViews

/// Receives the events of a publisher, on the `apiQueue` of its session. Only `publisher(_:didFailWithError:)` is
/// required.
public protocol OTPublisherKitDelegate: AnyObject {
  /// It could not be published, or was ended by an error. It belongs to no session any more.
  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError)
  /// It is a stream of the session now.
  func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream)
  /// It is no longer.
  func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream)
  /// A moderator has muted its audio.
  func muteForced(_ publisher: OTPublisherKit)
  /// The video is not sent any more.
  func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason)
  /// The video is sent again.
  func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason)
  /// The network can hardly carry the video.
  func publisherVideoDisableWarning(_ publisher: OTPublisherKit)
  /// The network can carry the video again.
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
  public func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream) {}
  public func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream) {}
  public func muteForced(_ publisher: OTPublisherKit) {}
  public func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  public func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  public func publisherVideoDisableWarning(_ publisher: OTPublisherKit) {}
  public func publisherVideoDisableWarningLifted(_ publisher: OTPublisherKit) {}
  public func videoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  public func videoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {}
  public func videoDisableWarning(_ publisher: OTPublisherKit) {}
  public func videoDisableWarningLifted(_ publisher: OTPublisherKit) {}
  public func publisherDidStartStreaming(_ publisher: OTPublisherKit) {}
  public func publisherDidStopStreaming(_ publisher: OTPublisherKit) {}
}

/// As ``OTPublisherKitDelegate``, with the events of the camera.
///
/// Version 1 knew `OTPublisher` alone, and its apps write the methods of ``OTPublisherKitDelegate`` with it. Either
/// spelling counts, also that of the required method; if an app has both, that of version 2 is called.
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
  /// A moderator has muted its audio, in the types of version 1.
  func muteForced(_ publisher: OTPublisher)
  /// The video is not sent any more, in the types of version 1.
  func publisherVideoDisabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason)
  /// The video is sent again, in the types of version 1.
  func publisherVideoEnabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason)
  /// The network can hardly carry the video, in the types of version 1.
  func publisherVideoDisableWarning(_ publisher: OTPublisher)
  /// It does again, in the types of version 1.
  func publisherVideoDisableWarningLifted(_ publisher: OTPublisher)
}

extension OTPublisherDelegate {
  public func publisher(_ publisher: OTPublisher, didChangeCameraPosition position: AVCaptureDevice.Position) {}
}

/// Receives the audio level of a publisher, ten times a second.
public protocol OTPublisherKitAudioLevelDelegate: AnyObject {
  /// 0 is silence, 1 the loudest there is.
  func publisher(_ publisher: OTPublisherKit, audioLevelUpdated audioLevel: Float)
}

/// Receives the counts of a publisher once a second, and changes of its quality.
public protocol OTPublisherKitNetworkStatsDelegate: AnyObject {
  /// Of the video; one element, since all of it goes through the server.
  func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats])
  /// Of the audio; one element, since all of it goes through the server.
  func publisher(_ publisher: OTPublisherKit, audioNetworkStatsUpdated stats: [OTPublisherKitAudioNetworkStats])
  /// Of the connection that both share.
  func publisher(_ publisher: OTPublisherKit, mediaLinkStatsUpdated stats: [OTPublisherKitMediaLinkStats])
  /// Something holds the video back now, or it is sent in another codec or in other sizes.
  func publisher(
    _ publisher: OTPublisherKit, videoQualityChanged stats: OTPublisherKitVideoNetworkStats,
    reason: OTPublisherVideoEventReason)
  /// The way to the server is better or worse than a second ago.
  func publisher(
    _ publisher: OTPublisherKit, networkConditionChanged stats: OTPublisherKitMediaLinkStats, reason: OTNetworkReason)
}

extension OTPublisherKitNetworkStatsDelegate {
  public func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats])
  {}
  public func publisher(_ publisher: OTPublisherKit, audioNetworkStatsUpdated stats: [OTPublisherKitAudioNetworkStats])
  {}
  public func publisher(_ publisher: OTPublisherKit, mediaLinkStatsUpdated stats: [OTPublisherKitMediaLinkStats]) {}
  public func publisher(
    _ publisher: OTPublisherKit, videoQualityChanged stats: OTPublisherKitVideoNetworkStats,
    reason: OTPublisherVideoEventReason
  ) {}
  public func publisher(
    _ publisher: OTPublisherKit, networkConditionChanged stats: OTPublisherKitMediaLinkStats, reason: OTNetworkReason
  ) {}
}

/// Given the report that ``OTPublisherKit/getRtcStatsReport()`` asks for.
public protocol OTPublisherKitRtcStatsReportDelegate: AnyObject {
  /// One element, since the server passes everything on.
  func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats])
}

extension OTPublisherKitRtcStatsReportDelegate {
  public func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats]) {}
}
