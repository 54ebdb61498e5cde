public import Foundation

/// Why a subscriber's video went or came back, or its quality changed.
public enum OTSubscriberVideoEventReason: Int32, Sendable {
  /// Never given by this module.
  case none = 0
  /// Its publisher sends none, or sends one again.
  case publisherPropertyChanged = 1
  /// `subscribeToVideo` was changed.
  case subscriberPropertyChanged = 2
  /// The network became slower or faster.
  case qualityChanged = 3
  /// It is sent in a codec that this client cannot decode, or no more.
  case codecNotSupported = 4
  /// The video comes in another codec.
  case codecChange = 8
  /// The video comes in another size.
  case resolutionChange = 9
  /// No frame came for 5 seconds or longer; frames come again.
  case videoInterruption = 10
}

/// Receives the events of a subscriber, on the `apiQueue` of its session. The first two are required.
public protocol OTSubscriberKitDelegate: AnyObject {
  /// The stream is received.
  func subscriberDidConnect(toStream subscriber: OTSubscriberKit)
  /// The stream is not received, or not any more. The subscriber belongs to no session any more.
  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError)
  /// There is no video for now.
  func subscriberVideoDisabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason)
  /// There is video again.
  func subscriberVideoEnabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason)
  /// The network can hardly carry the video.
  func subscriberVideoDisableWarning(_ subscriber: OTSubscriberKit)
  /// The network can carry the video again.
  func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriberKit)
  /// The stream is interrupted: a connection was lost and is being brought back.
  func subscriberDidDisconnect(fromStream subscriber: OTSubscriberKit)
  /// The lost connection is back.
  func subscriberDidReconnect(toStream subscriber: OTSubscriberKit)
}

extension OTSubscriberKitDelegate {
  public func subscriberVideoDisabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {}
  public func subscriberVideoEnabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {}
  public func subscriberVideoDisableWarning(_ subscriber: OTSubscriberKit) {}
  public func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriberKit) {}
  public func subscriberDidDisconnect(fromStream subscriber: OTSubscriberKit) {}
  public func subscriberDidReconnect(toStream subscriber: OTSubscriberKit) {}
}

/// As ``OTSubscriberKitDelegate``, with the events of video.
///
/// Version 1 knew `OTSubscriber` alone, and its apps write the methods of ``OTSubscriberKitDelegate`` with it. Either
/// spelling counts, also that of the two required methods; if an app has both, that of version 2 is called.
public protocol OTSubscriberDelegate: OTSubscriberKitDelegate {
  /// The first frame was decoded.
  func subscriberVideoDataReceived(_ subscriber: OTSubscriber)
  /// Version 1: the video has another size.
  func stream(_ stream: OTStream, didChangeVideoDimensions dimensions: CGSize)

  /// Version 1: the stream is received.
  func subscriberDidConnect(toStream subscriber: OTSubscriber)
  /// Version 1: the stream is not received, or not any more.
  func subscriber(_ subscriber: OTSubscriber, didFailWithError error: OTError)
  /// There is no video for now, in the types of version 1.
  func subscriberVideoDisabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason)
  /// There is video again, in the types of version 1.
  func subscriberVideoEnabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason)
  /// The network can hardly carry the video, in the types of version 1.
  func subscriberVideoDisableWarning(_ subscriber: OTSubscriber)
  /// It does again, in the types of version 1.
  func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriber)
  /// The stream is interrupted, in the types of version 1.
  func subscriberDidDisconnect(fromStream subscriber: OTSubscriber)
  /// It is back, in the types of version 1.
  func subscriberDidReconnect(toStream subscriber: OTSubscriber)
}

extension OTSubscriberDelegate {
  public func subscriberVideoDataReceived(_ subscriber: OTSubscriber) {}
  public func stream(_ stream: OTStream, didChangeVideoDimensions dimensions: CGSize) {}
}

/// Receives the audio level of a subscriber, ten times a second.
public protocol OTSubscriberKitAudioLevelDelegate: AnyObject {
  /// 0 is silence, 1 the loudest there is.
  func subscriber(_ subscriber: OTSubscriberKit, audioLevelUpdated audioLevel: Float)
}

/// Never called: there are no captions.
public protocol OTSubscriberKitCaptionsDelegate: AnyObject {
  /// Never called: there are no captions.
  func subscriber(_ subscriber: OTSubscriberKit, caption text: String, isFinal: Bool)
}

extension OTSubscriberKitCaptionsDelegate {
  public func subscriber(_ subscriber: OTSubscriberKit, caption text: String, isFinal: Bool) {}
}

/// Receives the counts of a subscriber once a second, and changes of its quality.
public protocol OTSubscriberKitNetworkStatsDelegate: AnyObject {
  /// The counts of the video.
  func subscriber(_ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats)
  /// The counts of the audio.
  func subscriber(_ subscriber: OTSubscriberKit, audioNetworkStatsUpdated stats: OTSubscriberKitAudioNetworkStats)
  /// Of the connection that both share.
  func subscriber(_ subscriber: OTSubscriberKit, mediaLinkStatsUpdated stats: OTSubscriberKitMediaLinkStats)
  /// The video was interrupted, or comes in another codec or size.
  func subscriber(
    _ subscriber: OTSubscriberKit, videoQualityChanged stats: OTSubscriberKitVideoNetworkStats,
    reason: OTSubscriberVideoEventReason)
  /// The way from the server is better or worse than a second ago.
  func subscriber(
    _ subscriber: OTSubscriberKit, networkConditionChanged stats: OTSubscriberKitMediaLinkStats,
    reason: OTNetworkReason)
}

extension OTSubscriberKitNetworkStatsDelegate {
  public func subscriber(
    _ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats
  ) {}
  public func subscriber(
    _ subscriber: OTSubscriberKit, audioNetworkStatsUpdated stats: OTSubscriberKitAudioNetworkStats
  ) {}
  public func subscriber(_ subscriber: OTSubscriberKit, mediaLinkStatsUpdated stats: OTSubscriberKitMediaLinkStats) {}
  public func subscriber(
    _ subscriber: OTSubscriberKit, videoQualityChanged stats: OTSubscriberKitVideoNetworkStats,
    reason: OTSubscriberVideoEventReason
  ) {}
  public func subscriber(
    _ subscriber: OTSubscriberKit, networkConditionChanged stats: OTSubscriberKitMediaLinkStats,
    reason: OTNetworkReason
  ) {}
}

/// Given the report that ``OTSubscriberKit/getRtcStatsReport(_:)`` asks for.
public protocol OTSubscriberKitRtcStatsReportDelegate: AnyObject {
  /// An array of objects with the names of the W3C's statistics (`inbound-rtp`), as JSON.
  func subscriber(_ subscriber: OTSubscriberKit, rtcStatsReport jsonArrayOfReports: String)
}

extension OTSubscriberKitRtcStatsReportDelegate {
  public func subscriber(_ subscriber: OTSubscriberKit, rtcStatsReport jsonArrayOfReports: String) {}
}
