import Basics
import FoundationEssentials
import Meetings
import Messaging

/// Endpoints that connect and disconnect.
extension MailboxHub {
  /// The endpoint is connected from now on: sends `welcome`, and then what it has missed. Another socket of it is
  /// closed.
  func attach(_ welcome: ServiceMessage.Welcome, acknowledged: UInt64?, domain: DomainID, _ channel: MessagingChannel)
    async throws(MessagingFailure)
  {
    let caller = MailboxCaller(domain: domain, regId: welcome.regId, endpoint: welcome.endpoint)
    try await perform { transaction, time in
      guard var endpoint = try transaction.endpoint(caller.endpoint),
        let identity = try transaction.identity(caller.regId)
      else { throw MessagingFailure(.endpointDeregistered, "The endpoint is not registered any more.") }
      endpoint.lastSeen = time.date
      try transaction.put(endpoint)
      return (endpoint, identity, time)
    } then: { hub, found in
      hub.enter(welcome, found.0, found.1, acknowledged, caller, found.2, channel)
    }
  }

  /// As ``perform(_:)``, with a step on the hub before anything of a later transaction is sent.
  private func perform<Answer: Sendable>(
    _ body: @escaping @Sendable (any MailboxTransaction, MessageTime) throws -> Answer,
    then step: @escaping @Sendable (isolated MailboxHub, Answer) -> Void
  ) async throws(MessagingFailure) {
    let result: Result<Void, MessagingFailure> = await withCheckedContinuation { continuation in
      submit(
        Job { transaction, time in
          let answer = try body(transaction, time)
          return { hub in
            step(hub, answer)
            continuation.resume(returning: .success(()))
          }
        } fail: { _, failure in
          continuation.resume(returning: .failure(failure))
        })
    }
    try result.get()
  }

  private func enter(
    _ welcome: ServiceMessage.Welcome, _ endpoint: MessagingEndpoint, _ identity: MessagingIdentity,
    _ acknowledged: UInt64?, _ caller: MailboxCaller, _ time: MessageTime, _ channel: MessagingChannel
  ) {
    if let old = sessions[caller.endpoint] {
      old.channel.close("replaced")
      drop(caller.endpoint)
    }
    lost[caller.endpoint] = nil
    var welcome = welcome
    welcome.lastEvent = EventNumber(identity.lastEvent)
    welcome.keys = identity.keys
    welcome.time = time
    channel.prove()
    channel.send(.welcome(welcome))
    let kept = min(acknowledged ?? endpoint.acknowledged, identity.lastEvent)
    if kept < identity.purged {
      channel.send(.event(number: EventNumber(identity.purged), time: time, .gap))
    }
    sessions[caller.endpoint] = Session(
      caller: caller, userId: identity.userId, channel: channel,
      delivery: EventDelivery(acknowledged: max(kept, identity.purged)), tokenExpires: endpoint.tokenExpires)
    connected[caller.regId, default: []].append(caller.endpoint)
    if endpoint.tokenExpires > clock() {
      for offer in calls.offers(to: caller.regId) { channel.send(.passing(offer)) }
    }
    read(for: caller.endpoint)
    reportToken(of: caller.endpoint)
  }

  /// The socket is gone. The endpoint stays registered.
  func detach(_ endpoint: EndpointID, _ channel: MessagingChannel) {
    guard sessions[endpoint]?.channel.id == channel.id else { return }
    drop(endpoint)
    seen(endpoint)
    // As long as a phone needs for another network.
    lost[endpoint] = MonotonicClock.now + .seconds(30)
  }

  func drop(_ endpoint: EndpointID) {
    guard let session = sessions.removeValue(forKey: endpoint) else { return }
    connected[session.caller.regId]?.removeAll { $0 == endpoint }
    if connected[session.caller.regId]?.isEmpty == true { connected[session.caller.regId] = nil }
  }

  /// Ends all other endpoints of an identity, whose passcode was forgotten.
  func deregisterOthers(than caller: MailboxCaller) async throws(MessagingFailure) {
    let outcome = try await perform { transaction, time in
      var logic = MailboxLogic(caller, now: time, in: transaction)
      return try logic.deregisterOthers()
    }
    publish(outcome, from: caller)
  }
}
