/// The calls of version 1, and those of version 2 without a place for an error: what can be seen at once goes to the delegate, too.
extension OTSession {
  /// A session as in version 1: the key comes with ``connect(withApiKey:token:)``, the delegate hears of own streams, too, and subscribers start
  /// by themselves. Never nil: what is wrong with the id is told when it connects.
  public convenience init?(sessionId: String, andDelegate delegate: (any OTSessionDelegate)?) {
    self.init(sessionId: sessionId, delegate: delegate)
  }

  /// A session as in version 1; see ``init(sessionId:andDelegate:)``.
  public convenience init?(sessionId: String, delegate: (any OTSessionDelegate)?) {
    self.init(nil, sessionId, delegate, .init(), isLegacy: true)
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

  /// Connects, as in version 1. What is wrong with the call itself goes to `session(_:didFailWithError:)`, too.
  public func connect(withApiKey apiKey: String, token: String) {
    report(start(apiKey: apiKey, token: token))
  }

  /// Publishes. nil does nothing, as in version 1 where there was no camera. What is refused is told to the publisher's delegate, with the number that
  /// ``publish(_:error:)`` gives. A publisher that is published already goes on, and the session's delegate is told of the call.
  public func publish(_ publisher: OTPublisherKit?) {
    guard let publisher else { return }
    if let problem = begin(publisher) {
      guard publisher.session == nil else { return report(problem) }
      publisher.fail(problem.ofPublisher, self)
    }
  }

  /// Ends publishing.
  public func unpublish(_ publisher: OTPublisherKit?) { report(end(publisher)) }

  /// Subscribes. What is refused is told to the subscriber's delegate, with the number that ``subscribe(_:error:)`` gives. A subscriber that receives
  /// already goes on, and the session's delegate is told of the call.
  public func subscribe(_ subscriber: OTSubscriberKit?) {
    guard let subscriber else { return }
    if let problem = begin(subscriber) {
      guard subscriber.session == nil else { return report(problem) }
      subscriber.fail(problem.ofSubscriber, self)
    }
  }

  /// Ends subscribing.
  public func unsubscribe(_ subscriber: OTSubscriberKit?) { report(end(subscriber)) }
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
