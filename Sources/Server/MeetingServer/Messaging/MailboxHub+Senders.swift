import Basics
import Meetings
import Messaging

/// The budgets of senders, and the events that pass to endpoints.
extension MailboxHub {
  /// Whether a request is carried out: takes its bytes from its sender's budget, and asks for a token where the last
  /// one has ended. A typing notice beyond the budget is answered as any other, and passed to nobody.
  func admit(
    _ request: MessagingRequest, bytes: Int, from caller: MailboxCaller
  ) throws(MessagingFailure) -> Bool {
    if case .typing = request {
      do throws(MessagingFailure) {
        try budgets.take(bytes, of: caller.regId, closes: false, now: instant())
      } catch {
        counters.passingDropped.add(1)
        return false
      }
    } else {
      try budgets.take(bytes, of: caller.regId, now: instant())
    }
    if case .authToken = request { return true }
    guard !needsToken(caller.endpoint) else {
      throw MessagingFailure(.tokenNeeded, "The identity provider's token has ended. Send authToken.")
    }
    return true
  }

  /// Takes the mailboxes that a request has written to from its sender's budget. Marks are replaced by the next ones.
  func charge(_ outcome: MailboxOutcome, of sender: RegID) {
    let count = outcome.deliveries.count { if case .marks = $0.event.event { false } else { true } }
    if count > 0 { budgets.charge(deliveries: count, of: sender, now: instant()) }
  }

  /// Takes a request about a vault from its identity's budget. One for the status changes nothing.
  func admit(_ request: VaultRequest, from caller: MailboxCaller) throws(MessagingFailure) {
    if case .status = request { return }
    try budgets.takeVaultRequest(of: caller.regId, now: instant())
  }

  /// Sends passing events, each encoded once for all of its readers.
  func send(_ passing: [MailboxOutcome.Passing]) {
    var last: (event: PassingEvent, text: String)?
    for one in passing {
      guard let endpoints = connected[one.to] else { continue }
      if last?.event != one.event { last = Self.text(of: one.event).map { (one.event, $0) } }
      guard let last else { continue }
      for endpoint in endpoints { send(last.event, last.text, to: endpoint) }
    }
  }

  func send(_ event: PassingEvent, to regId: RegID, except: EndpointID?) {
    guard let endpoints = connected[regId], let text = Self.text(of: event) else { return }
    for endpoint in endpoints where endpoint != except { send(event, text, to: endpoint) }
  }

  func send(_ event: PassingEvent, to endpoint: EndpointID) {
    if sessions[endpoint] != nil, let text = Self.text(of: event) { send(event, text, to: endpoint) }
  }

  private static func text(of event: PassingEvent) -> String? {
    try? MessagingCoder().encode(ServiceMessage.passing(event))
  }

  /// Sends a passing event, unless the endpoint's token has ended. The end of a call is sent in any case: nothing says
  /// it again. Of typing notices and chat events, those beyond the endpoint's budget are dropped.
  private func send(_ event: PassingEvent, _ text: String, to endpoint: EndpointID) {
    switch event {
    case .callEnded: break
    case .typing, .chatEvent:
      guard !needsToken(endpoint) else { return }
      let size = text.utf8.count + MessagingLimits.requestOverhead
      guard sessions[endpoint]?.passing.consume(size, now: instant()) == true else {
        return counters.passingDropped.add(1)
      }
    case .callOffer, .callStep, .tokenNeeded, .caughtUp, .endpointsChanged:
      guard !needsToken(endpoint) else { return }
    }
    sessions[endpoint]?.channel.send(text: text)
  }
}
