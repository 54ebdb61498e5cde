public import Foundation

/// Why a subscriber's picture went or came back.
public enum OTSubscriberVideoEventReason: Int32, Sendable {
  /// Its publisher sends none, or sends one again.
  case publisherPropertyChanged = 1
  /// `subscribeToVideo` was changed.
  case subscriberPropertyChanged = 2
  /// The network.
  case qualityChanged = 3
  /// It is sent in a codec that this client cannot decode, or no more.
  case codecNotSupported = 4
}

/// Told what becomes of a subscriber, on the `apiQueue` of its session. The first two must be there.
public protocol OTSubscriberKitDelegate: AnyObject {
  /// The stream is received.
  func subscriberDidConnect(toStream subscriber: OTSubscriberKit)
  /// The stream is not received, or not any more. The subscriber belongs to no session any more.
  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError)
  /// There is no picture for now.
  func subscriberVideoDisabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason)
  /// There is a picture again.
  func subscriberVideoEnabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason)
  /// The network hardly takes the picture.
  func subscriberVideoDisableWarning(_ subscriber: OTSubscriberKit)
  /// It does again.
  func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriberKit)
  /// The stream is interrupted: a connection was lost and is being brought back.
  func subscriberDidDisconnect(fromStream subscriber: OTSubscriberKit)
  /// It is back.
  func subscriberDidReconnect(toStream subscriber: OTSubscriberKit)
}

extension OTSubscriberKitDelegate {
  /// Does nothing.
  public func subscriberVideoDisabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {}
  /// Does nothing.
  public func subscriberVideoEnabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {}
  /// Does nothing.
  public func subscriberVideoDisableWarning(_ subscriber: OTSubscriberKit) {}
  /// Does nothing.
  public func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriberKit) {}
  /// Does nothing.
  public func subscriberDidDisconnect(fromStream subscriber: OTSubscriberKit) {}
  /// Does nothing.
  public func subscriberDidReconnect(toStream subscriber: OTSubscriberKit) {}
}

/// As ``OTSubscriberKitDelegate``, and told of pictures.
///
/// Version 1 knew `OTSubscriber` alone, and its apps write the methods of ``OTSubscriberKitDelegate`` with it. Either spelling counts, also that of the
/// two methods that must be there; where an app has both, that of version 2 is called.
public protocol OTSubscriberDelegate: OTSubscriberKitDelegate {
  /// The first picture was decoded.
  func subscriberVideoDataReceived(_ subscriber: OTSubscriber)
  /// Version 1: the pictures have another size.
  func stream(_ stream: OTStream, didChangeVideoDimensions dimensions: CGSize)

  /// Version 1: the stream is received.
  func subscriberDidConnect(toStream subscriber: OTSubscriber)
  /// Version 1: the stream is not received, or not any more.
  func subscriber(_ subscriber: OTSubscriber, didFailWithError error: OTError)
  /// There is no picture for now, in the types of version 1.
  func subscriberVideoDisabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason)
  /// There is a picture again, in the types of version 1.
  func subscriberVideoEnabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason)
  /// The network hardly takes the picture, in the types of version 1.
  func subscriberVideoDisableWarning(_ subscriber: OTSubscriber)
  /// It does again, in the types of version 1.
  func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriber)
  /// The stream is interrupted, in the types of version 1.
  func subscriberDidDisconnect(fromStream subscriber: OTSubscriber)
  /// It is back, in the types of version 1.
  func subscriberDidReconnect(toStream subscriber: OTSubscriber)
}

extension OTSubscriberDelegate {
  /// Does nothing.
  public func subscriberVideoDataReceived(_ subscriber: OTSubscriber) {}
  /// Does nothing.
  public func stream(_ stream: OTStream, didChangeVideoDimensions dimensions: CGSize) {}
}

/// Told how loud a subscriber is, ten times a second.
public protocol OTSubscriberKitAudioLevelDelegate: AnyObject {
  /// 0 is silence, 1 the loudest there is.
  func subscriber(_ subscriber: OTSubscriberKit, audioLevelUpdated audioLevel: Float)
}

/// Never called: there are no captions.
public protocol OTSubscriberKitCaptionsDelegate: AnyObject {
  /// Somebody said something.
  func subscriber(_ subscriber: OTSubscriberKit, caption text: String, isFinal: Bool)
}

extension OTSubscriberKitCaptionsDelegate {
  public func subscriber(_ subscriber: OTSubscriberKit, caption text: String, isFinal: Bool) {}
}

/// Told once a second what a subscriber has received.
public protocol OTSubscriberKitNetworkStatsDelegate: AnyObject {
  /// Of the picture.
  func subscriber(_ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats)
  /// Of the sound.
  func subscriber(_ subscriber: OTSubscriberKit, audioNetworkStatsUpdated stats: OTSubscriberKitAudioNetworkStats)
  /// Of the connection that both share.
  func subscriber(_ subscriber: OTSubscriberKit, mediaLinkStatsUpdated stats: OTSubscriberKitMediaLinkStats)
}

extension OTSubscriberKitNetworkStatsDelegate {
  /// Does nothing.
  public func subscriber(
    _ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats
  ) {}
  /// Does nothing.
  public func subscriber(
    _ subscriber: OTSubscriberKit, audioNetworkStatsUpdated stats: OTSubscriberKitAudioNetworkStats
  ) {}
  public func subscriber(_ subscriber: OTSubscriberKit, mediaLinkStatsUpdated stats: OTSubscriberKitMediaLinkStats) {}
}

/// Given the report that ``OTSubscriberKit/getRtcStatsReport(_:)`` asks for.
public protocol OTSubscriberKitRtcStatsReportDelegate: AnyObject {
  /// An array of objects with the names of the W3C's statistics (`inbound-rtp`), as JSON.
  func subscriber(_ subscriber: OTSubscriberKit, rtcStatsReport jsonArrayOfReports: String)
}

extension OTSubscriberKitRtcStatsReportDelegate {
  public func subscriber(_ subscriber: OTSubscriberKit, rtcStatsReport jsonArrayOfReports: String) {}
}
