/// The methods of ``OTPublisherKitDelegate`` in the types of version 1. Each callback goes to the spelling of version
/// 2; if an app has none it goes on to that of version 1, and from there nowhere. The latter's defaults are
/// disfavoured, so that an app that calls its own method gets that.
extension OTPublisherDelegate {
  /// Goes on to the spelling of version 1.
  public func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {
    if let old = publisher as? OTPublisher { self.publisher(old, didFailWithError: error) }
  }
  /// Goes on to the spelling of version 1.
  public func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream) {
    if let old = publisher as? OTPublisher { self.publisher(old, streamCreated: stream) }
  }
  /// Goes on to the spelling of version 1.
  public func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream) {
    if let old = publisher as? OTPublisher { self.publisher(old, streamDestroyed: stream) }
  }
  /// Goes on to the spelling of version 1.
  public func muteForced(_ publisher: OTPublisherKit) {
    if let old = publisher as? OTPublisher { self.muteForced(old) }
  }
  /// Goes on to the spelling of version 1.
  public func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    if let old = publisher as? OTPublisher { self.publisherVideoDisabled(old, reason: reason) }
  }
  /// Goes on to the spelling of version 1.
  public func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    if let old = publisher as? OTPublisher { self.publisherVideoEnabled(old, reason: reason) }
  }
  /// Goes on to the spelling of version 1.
  public func publisherVideoDisableWarning(_ publisher: OTPublisherKit) {
    if let old = publisher as? OTPublisher { self.publisherVideoDisableWarning(old) }
  }
  /// Goes on to the spelling of version 1.
  public func publisherVideoDisableWarningLifted(_ publisher: OTPublisherKit) {
    if let old = publisher as? OTPublisher { self.publisherVideoDisableWarningLifted(old) }
  }
  /// Goes on to the spelling of version 1.
  public func publisherDidStartStreaming(_ publisher: OTPublisherKit) {
    if let old = publisher as? OTPublisher { self.publisherDidStartStreaming(old) }
  }
  /// Goes on to the spelling of version 1.
  public func publisherDidStopStreaming(_ publisher: OTPublisherKit) {
    if let old = publisher as? OTPublisher { self.publisherDidStopStreaming(old) }
  }

  @_disfavoredOverload
  public func publisher(_ publisher: OTPublisher, didFailWithError error: OTError) {}
  @_disfavoredOverload
  public func publisher(_ publisher: OTPublisher, streamCreated stream: OTStream) {}
  @_disfavoredOverload
  public func publisher(_ publisher: OTPublisher, streamDestroyed stream: OTStream) {}
  @_disfavoredOverload
  public func muteForced(_ publisher: OTPublisher) {}
  @_disfavoredOverload
  public func publisherVideoDisabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason) {}
  @_disfavoredOverload
  public func publisherVideoEnabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason) {}
  @_disfavoredOverload
  public func publisherVideoDisableWarning(_ publisher: OTPublisher) {}
  @_disfavoredOverload
  public func publisherVideoDisableWarningLifted(_ publisher: OTPublisher) {}
  @_disfavoredOverload
  public func publisherDidStartStreaming(_ publisher: OTPublisher) {}
  @_disfavoredOverload
  public func publisherDidStopStreaming(_ publisher: OTPublisher) {}
}
