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
public protocol OTPublisherDelegate: OTPublisherKitDelegate {
  /// Another camera is used.
  func publisher(_ publisher: OTPublisher, didChangeCameraPosition position: AVCaptureDevice.Position)
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
}

extension OTPublisherKitNetworkStatsDelegate {
  /// Does nothing.
  public func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats])
  {}
  /// Does nothing.
  public func publisher(_ publisher: OTPublisherKit, audioNetworkStatsUpdated stats: [OTPublisherKitAudioNetworkStats])
  {}
}

/// Given the report that ``OTPublisherKit/getRtcStatsReport()`` asks for.
public protocol OTPublisherKitRtcStatsReportDelegate: AnyObject {
  /// One element, since the server passes everything on.
  func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats])
}
