import Basics
import Meetings
import Messaging

/// The calls and data connections that ring or run: who is in them, and who hears of which step. Does no I/O.
struct CallTable: Sendable {
  /// Something for the endpoints of one side.
  struct Notice: Sendable, Hashable {
    var to: RegID
    /// The one endpoint; nil for all that are connected.
    var endpoint: EndpointID?
    /// An endpoint that does not get it.
    var except: EndpointID?
    var event: PassingEvent
  }

  struct Call: Sendable {
    var caller: MailboxCaller
    var callee: RegID
    /// The endpoint that has answered.
    var answered: EndpointID?
    var offer: PassingEvent
    var ringsUntil: Instant
    /// Whether the callee heard of it: only once the caller has its number.
    var isRinging = false

    /// The side opposite to an identity, with its endpoint in the call.
    func other(than regId: RegID) -> (RegID, EndpointID?) {
      regId == callee ? (caller.regId, caller.endpoint) : (callee, answered)
    }
  }

  /// A caller and a callee.
  private struct Direction: Hashable {
    var from: RegID
    var to: RegID

    init(_ call: Call) {
      from = call.caller.regId
      to = call.callee
    }
  }

  private var calls: [CallID: Call] = [:]
  private var counts: [RegID: Int] = [:]
  /// Calls that nobody has answered yet.
  private var unanswered: [Direction: Int] = [:]
  /// Calls that each identity may still start, in 60ths.
  private var starts = BoundedTable<RegID, TokenBucket>(capacity: 60_000)
  /// Calls that are over, whose meetings are to be removed.
  private var ended: [(CallID, MailboxCaller)] = []

  var count: Int { calls.count }

  /// Takes a place for a call. It rings with ``ring(_:now:)``.
  mutating func reserve(
    _ id: CallID, from caller: MailboxCaller, to callee: RegID, medium: CallMedium, sealed: Sealed, now: Instant
  ) throws(MessagingFailure) {
    guard caller.regId != callee else { throw .init(.badRequest, "Nobody calls themselves.") }
    let most = MessagingLimits.calls
    guard counts[caller.regId, default: 0] < most else {
      throw .init(.limitReached, "You have at most \(most) calls at once (calls).")
    }
    guard counts[callee, default: 0] < most else {
      throw .init(.limitReached, "The other side has \(most) calls at once, as many as it may (calls).")
    }
    let offer = PassingEvent.callOffer(
      callId: id, from: caller.regId, endpoint: caller.endpoint, medium: medium, sealed: sealed)
    let call = Call(
      caller: caller, callee: callee, offer: offer, ringsUntil: now + .seconds(Int64(MessagingLimits.ringSeconds)))
    guard unanswered[Direction(call), default: 0] < MessagingLimits.ringing else {
      throw .init(
        .limitReached, "At most \(MessagingLimits.ringing) calls of yours ring at the other side (ringing).",
        retryAfter: MessagingLimits.ringSeconds)
    }
    guard consumeStart(of: caller.regId, now: now) else {
      throw .init(
        .limitReached, "You start at most \(MessagingLimits.callsPerMinute) calls a minute (callsPerMinute).",
        retryAfter: max(1, 60 / MessagingLimits.callsPerMinute))
    }
    calls[id] = call
    unanswered[Direction(call), default: 0] += 1
    counts[caller.regId, default: 0] += 1
    counts[callee, default: 0] += 1
  }

  private mutating func consumeStart(of regId: RegID, now: Instant) -> Bool {
    let most = MessagingLimits.callsPerMinute
    let bucket = TokenBucket(perSecond: most, burst: most * 60)
    return starts.update(regId, initial: bucket, now: now) { $0.consume(60, now: now) }
  }

  private mutating func removeUnanswered(_ call: Call) {
    let left = unanswered[Direction(call), default: 1] - 1
    unanswered[Direction(call)] = left > 0 ? left : nil
  }

  /// The callee hears of a call.
  mutating func ring(_ id: CallID, now: Instant) throws(MessagingFailure) -> [Notice] {
    guard var call = calls[id] else { throw .init(.notFound, "The call is over.") }
    call.isRinging = true
    call.ringsUntil = now + .seconds(Int64(MessagingLimits.ringSeconds))
    calls[id] = call
    return [Notice(to: call.callee, event: call.offer)]
  }

  /// Gives up a call that does not ring yet.
  mutating func abandon(_ id: CallID) { remove(id) }

  /// The calls that have ended since the last time.
  mutating func takeEnded() -> [(CallID, MailboxCaller)] {
    defer { ended = [] }
    return ended
  }

  /// The offers that ring at an identity, for an endpoint that has just come.
  func offers(to regId: RegID) -> [PassingEvent] {
    calls.values.filter { $0.callee == regId && $0.isRinging && $0.answered == nil }.map(\.offer)
  }

  /// A step of one side.
  mutating func step(
    _ id: CallID, _ step: CallStep, sealed: Sealed?, to endpoint: EndpointID?, by sender: MailboxCaller
  ) throws(MessagingFailure) -> [Notice] {
    guard var call = calls[id], call.isRinging, sender.regId == call.callee || sender.endpoint == call.caller.endpoint
    else {
      throw .init(.notFound, "There is no such call, or not any more.")
    }
    let isCallee = sender.regId == call.callee
    let (other, present) = call.other(than: sender.regId)
    let notice = Notice(
      to: other, endpoint: endpoint ?? present,
      event: .callStep(callId: id, from: sender.regId, endpoint: sender.endpoint, step: step, sealed: sealed))
    switch step {
    case .ringing, .update:
      guard call.answered == nil || !isCallee || call.answered == sender.endpoint else { throw Self.elsewhere }
      return [notice]
    case .answer:
      guard isCallee else { throw .init(.notAllowed, "The other side answers.") }
      guard call.answered == nil || call.answered == sender.endpoint else { throw Self.elsewhere }
      if call.answered == nil { removeUnanswered(call) }
      call.answered = sender.endpoint
      calls[id] = call
      return [
        notice,
        Notice(
          to: call.callee, except: sender.endpoint, event: .callEnded(callId: id, end: .answeredElsewhere)),
      ]
    case .decline, .busy:
      guard isCallee, call.answered == nil else { throw .init(.notAllowed, "The call does not ring here.") }
      remove(id)
      return [
        notice, Notice(to: other, event: .callEnded(callId: id, end: step == .busy ? .busy : .declined)),
        Notice(
          to: call.callee, except: sender.endpoint, event: .callEnded(callId: id, end: .declinedElsewhere)),
      ]
    case .hangUp:
      guard !isCallee || call.answered == sender.endpoint else { throw Self.elsewhere }
      remove(id)
      return [notice, Notice(to: other, endpoint: present, event: .callEnded(callId: id, end: .hungUp))]
    }
  }

  private static let elsewhere = MessagingFailure(.notAllowed, "The call was answered at another endpoint.")

  /// The callee's side of a call that was answered there; nil when there is none.
  func call(_ id: CallID) -> Call? { calls[id] }

  /// An endpoint is gone for longer than a reconnect takes: its calls end.
  mutating func lose(_ endpoint: EndpointID) -> [Notice] {
    var notices: [Notice] = []
    for (id, call) in calls where call.caller.endpoint == endpoint || call.answered == endpoint {
      let side = call.caller.endpoint == endpoint ? call.caller.regId : call.callee
      let (other, present) = call.other(than: side)
      remove(id)
      notices.append(Notice(to: other, endpoint: present, event: .callEnded(callId: id, end: .lost)))
    }
    return notices
  }

  /// Ends what has rung for too long.
  mutating func expire(now: Instant) -> [Notice] {
    var notices: [Notice] = []
    for (id, call) in calls where call.answered == nil && call.ringsUntil <= now {
      remove(id)
      let event = PassingEvent.callEnded(callId: id, end: .unanswered)
      notices.append(Notice(to: call.caller.regId, endpoint: call.caller.endpoint, event: event))
      notices.append(Notice(to: call.callee, event: event))
    }
    return notices
  }

  private mutating func remove(_ id: CallID) {
    guard let call = calls.removeValue(forKey: id) else { return }
    ended.append((id, call.caller))
    if call.answered == nil { removeUnanswered(call) }
    for side in [call.caller.regId, call.callee] {
      counts[side, default: 0] -= 1
      if counts[side] == 0 { counts[side] = nil }
    }
  }
}
