/// The calls of version 1, and those of version 2 without a place for an error: what can be seen at once goes to the
/// delegate, too.
extension OTSession {
  /// A session as in version 1; see ``init(sessionId:delegate:)``.
  public convenience init?(sessionId: String, andDelegate delegate: (any OTSessionDelegate)?) {
    self.init(sessionId: sessionId, delegate: delegate)
  }

  /// A session as in version 1. Both environments are the same server.
  public convenience init?(
    sessionId: String, delegate: (any OTSessionDelegate)?, environment: OTSessionEnvironment
  ) {
    self.init(sessionId: sessionId, delegate: delegate)
  }

  /// Version 1: which service is meant. There is one here.
  public var environment: OTSessionEnvironment { .production }

  /// Version 1: how many clients are connected, this one included.
  public var connectionCount: Int { value(\.connectionCount, as: \OTSession.connectionCount) }

  /// Connects, as in version 1. Faults of the call itself go to `session(_:didFailWithError:)`, too.
  public func connect(withApiKey apiKey: String, token: String) {
    report(start(apiKey: apiKey, token: token))
  }

  func publishReporting(_ publisher: OTPublisherKit) {
    guard let problem = begin(publisher) else { return }
    guard publisher.session == nil else { return report(problem) }
    publisher.fail(problem.ofPublisher, self)
  }

  func subscribeReporting(_ subscriber: OTSubscriberKit) {
    guard let problem = begin(subscriber) else { return }
    guard subscriber.currentSession == nil else { return report(problem) }
    subscriber.fail(problem.ofSubscriber, self)
  }
}

// The headers of version 1 did not say what may be nil, and apps of its time hand over what may be.
extension OTSession {
  /// Publishes. nil does nothing, as in version 1 where there was no camera.
  @_disfavoredOverload public func publish(_ publisher: OTPublisherKit?) {
    if let publisher { publish(publisher) }
  }

  @_disfavoredOverload public func unpublish(_ publisher: OTPublisherKit?) { report(end(publisher)) }

  /// Subscribes. nil does nothing.
  @_disfavoredOverload public func subscribe(_ subscriber: OTSubscriberKit?) {
    if let subscriber { subscribe(subscriber) }
  }

  @_disfavoredOverload public func unsubscribe(_ subscriber: OTSubscriberKit?) { report(end(subscriber)) }

  /// Publishes; nil gives ``OTSessionErrorCode/OTNullOrInvalidParameter``.
  @_disfavoredOverload public func publish(_ publisher: OTPublisherKit?, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(begin(publisher), error)
  }

  /// Ends publishing; nil gives ``OTSessionErrorCode/OTNullOrInvalidParameter``.
  @_disfavoredOverload public func unpublish(_ publisher: OTPublisherKit?, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(end(publisher), error)
  }

  /// Subscribes; nil gives ``OTSessionErrorCode/OTNullOrInvalidParameter``.
  @_disfavoredOverload public func subscribe(_ subscriber: OTSubscriberKit?, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(begin(subscriber), error)
  }

  /// Ends subscribing; nil gives ``OTSessionErrorCode/OTNullOrInvalidParameter``.
  @_disfavoredOverload public func unsubscribe(_ subscriber: OTSubscriberKit?, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(end(subscriber), error)
  }

  /// Mutes the audio of one stream; nil gives ``OTSessionErrorCode/OTNullOrInvalidParameter``.
  @_disfavoredOverload public func forceMuteStream(_ stream: OTStream?, error: UnsafeMutablePointer<OTError?>?) {
    guard let stream else { return OTError.put(OTError(.nullOrInvalidParameter, "The stream is nil."), error) }
    forceMuteStream(stream, error: error)
  }
}

/// Version 1: which service is meant.
public enum OTSessionEnvironment: Int32, Sendable {
  /// The service for the public.
  case production
  /// The service for trying out.
  case staging
}

/// The service for the public, as the headers of version 1 spell it.
public let OTSessionEnvironmentProduction = OTSessionEnvironment.production
/// The service for trying out, as the headers of version 1 spell it.
public let OTSessionEnvironmentStaging = OTSessionEnvironment.staging
