/// The methods of ``OTSubscriberKitDelegate`` in the types of version 1. Each callback goes to the spelling of version
/// 2; if an app has none it goes on to that of version 1, and from there nowhere. The latter's defaults are
/// disfavoured, so that an app that calls its own method gets that.
extension OTSubscriberDelegate {
  /// Goes on to the spelling of version 1.
  public func subscriberDidConnect(toStream subscriber: OTSubscriberKit) {
    if let old = subscriber as? OTSubscriber { self.subscriberDidConnect(toStream: old) }
  }
  /// Goes on to the spelling of version 1.
  public func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) {
    if let old = subscriber as? OTSubscriber { self.subscriber(old, didFailWithError: error) }
  }
  /// Goes on to the spelling of version 1.
  public func subscriberVideoDisabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {
    if let old = subscriber as? OTSubscriber { self.subscriberVideoDisabled(old, reason: reason) }
  }
  /// Goes on to the spelling of version 1.
  public func subscriberVideoEnabled(_ subscriber: OTSubscriberKit, reason: OTSubscriberVideoEventReason) {
    if let old = subscriber as? OTSubscriber { self.subscriberVideoEnabled(old, reason: reason) }
  }
  /// Goes on to the spelling of version 1.
  public func subscriberVideoDisableWarning(_ subscriber: OTSubscriberKit) {
    if let old = subscriber as? OTSubscriber { self.subscriberVideoDisableWarning(old) }
  }
  /// Goes on to the spelling of version 1.
  public func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriberKit) {
    if let old = subscriber as? OTSubscriber { self.subscriberVideoDisableWarningLifted(old) }
  }
  /// Goes on to the spelling of version 1.
  public func subscriberDidDisconnect(fromStream subscriber: OTSubscriberKit) {
    if let old = subscriber as? OTSubscriber { self.subscriberDidDisconnect(fromStream: old) }
  }
  /// Goes on to the spelling of version 1.
  public func subscriberDidReconnect(toStream subscriber: OTSubscriberKit) {
    if let old = subscriber as? OTSubscriber { self.subscriberDidReconnect(toStream: old) }
  }

  @_disfavoredOverload
  public func subscriberDidConnect(toStream subscriber: OTSubscriber) {}
  @_disfavoredOverload
  public func subscriber(_ subscriber: OTSubscriber, didFailWithError error: OTError) {}
  @_disfavoredOverload
  public func subscriberVideoDisabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason) {}
  @_disfavoredOverload
  public func subscriberVideoEnabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason) {}
  @_disfavoredOverload
  public func subscriberVideoDisableWarning(_ subscriber: OTSubscriber) {}
  @_disfavoredOverload
  public func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriber) {}
  @_disfavoredOverload
  public func subscriberDidDisconnect(fromStream subscriber: OTSubscriber) {}
  @_disfavoredOverload
  public func subscriberDidReconnect(toStream subscriber: OTSubscriber) {}
}
