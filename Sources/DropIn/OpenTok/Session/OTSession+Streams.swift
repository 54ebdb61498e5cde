extension OTSession {
  func begin(_ publisher: OTPublisherKit?) -> OTError? {
    guard let publisher else { return OTError(.nullOrInvalidParameter, "The publisher is nil.") }
    if let problem = missingConnection { return problem }
    if capabilities?.canPublish == false {
      return OTError(.authorizationFailure, "The token's role does not allow publishing.")
    }
    guard let number = publisher.claim(for: self) else {
      return OTError(.sessionIllegalState, "The publisher is published already.")
    }
    let isScreen = publisher.videoType == .screen
    let (isTaken, isOverLimit) = state.update { state -> (Bool, Bool) in
      if state.publishers.contains(where: { ($0.publisher.videoType == .screen) == isScreen }) { return (true, false) }
      if !state.limit.allows(state.publishers.count + state.subscribers + 1) { return (false, true) }
      state.publishers.append(PublisherPlace(publisher: publisher, number: number))
      return (false, false)
    }
    if isTaken {
      publisher.release(number)
      let what = isScreen ? "screen" : "camera"
      return OTError(.sessionIllegalState, "A \(what) is published already; a client sends one camera and one screen.")
    }
    if isOverLimit {
      publisher.release(number)
      publisher.fail(
        OTError(OTPublisherErrorDomain, Int(OTPublisherErrorCode.publisherStreamLimitExceeded), limitMessage), self)
      return nil
    }
    onMain { [self] in engine.publish(publisher, number, in: self) }
    return nil
  }

  func end(_ publisher: OTPublisherKit?) -> OTError? {
    guard let publisher else { return OTError(.nullOrInvalidParameter, "The publisher is nil.") }
    guard let number = publisher.state.update({ $0.membership.markEnd(in: self) }) else {
      return OTError(.sessionPublisherNotFound, "The publisher is not published in this session.")
    }
    // Its place is free at once, for whoever is published next.
    state.update { $0.freePlace(of: publisher, number) }
    onMain { [self] in engine.unpublish(publisher, number, in: self) }
    return nil
  }

  func begin(_ subscriber: OTSubscriberKit?) -> OTError? {
    guard let subscriber else { return OTError(.nullOrInvalidParameter, "The subscriber is nil.") }
    if let problem = missingConnection { return problem }
    if capabilities?.canSubscribe == false {
      return OTError(.authorizationFailure, "The token's role does not allow subscribing.")
    }
    guard subscriber.stream?.owner === self else {
      return OTError(.nullOrInvalidParameter, "The subscriber's stream is not one of this session.")
    }
    guard let number = subscriber.claim(for: self) else {
      return OTError(.sessionIllegalState, "The subscriber is subscribed already.")
    }
    guard takePlace(subscriber, number) else {
      subscriber.release(number)
      subscriber.fail(OTError(.subscriberStreamLimitExceeded, limitMessage), self)
      return nil
    }
    onMain { [self] in engine.subscribe(subscriber, number, in: self) }
    return nil
  }

  func end(_ subscriber: OTSubscriberKit?) -> OTError? {
    guard let subscriber else { return OTError(.nullOrInvalidParameter, "The subscriber is nil.") }
    guard let number = subscriber.state.update({ $0.membership.markEnd(in: self) }) else {
      return OTError(.sessionSubscriberNotFound, "The subscriber is not subscribed in this session.")
    }
    leavePlace(subscriber, number)
    onMain { [self] in engine.forget(ObjectIdentifier(subscriber), number, in: self) }
    return nil
  }

  private func takePlace(_ subscriber: OTSubscriberKit, _ number: Int) -> Bool {
    let isThere = state.update { state in
      guard state.limit.allows(state.publishers.count + state.subscribers + 1) else { return false }
      state.subscribers += 1
      return true
    }
    if isThere { subscriber.state.place = number }
    return isThere
  }

  /// A subscriber does not count any more: at once when it is unsubscribed, so that another may be subscribed in the
  /// same turn.
  func leavePlace(_ subscriber: OTSubscriberKit, _ number: Int) {
    let hadPlace = subscriber.state.update { state in
      guard state.place == number else { return false }
      state.place = nil
      return true
    }
    if hadPlace { state.update { $0.subscribers -= 1 } }
  }

  private var limitMessage: String {
    let limit = state.limit.streams ?? 0
    return "The session may have \(limit) streams at a time (OTStreamLimit); end one first."
  }
}
