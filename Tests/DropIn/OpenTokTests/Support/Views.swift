import OpenTok

extension OTPublisher {
  /// The view as what it is.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  @MainActor var picture: OTVideoView! { view as? OTVideoView }
}

extension OTSubscriber {
  /// The view as what it is.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  @MainActor var picture: OTVideoView! { view as? OTVideoView }
}

extension OTSubscriberKit {
  /// Whether it is subscribed in a session, or being so: it can be asked for a report then.
  var isSubscribed: Bool {
    var error: OTError?
    getRtcStatsReport(&error)
    return error == nil
  }
}
