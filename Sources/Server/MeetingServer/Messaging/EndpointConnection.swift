import Basics
import Meetings
import Messaging
import Signaling

/// The phase of a socket, and the actions that its frames lead to. Does no I/O.
struct EndpointConnection: Sendable {
  enum Phase: Sendable {
    case waiting
    /// The identity has no room for this endpoint: only freeing one goes.
    case full(EndpointMessage.Hello, ProvenUser, MailboxCaller)
    case registered(MailboxCaller)
  }

  enum Action: Sendable {
    case hello(EndpointMessage.Hello)
    case resume(EndpointMessage.Resume)
    case retry(id: Int, EndpointMessage.Hello, ProvenUser)
    case request(id: Int, MessagingRequest, MailboxCaller, bytes: Int)
    case acknowledge(EventNumber, MailboxCaller)
    case pong
    case ignore
    case fail(id: Int?, MessagingFailure)
    case close(MessagingFailure)
  }

  var phase = Phase.waiting
  private var limit: TokenBucket

  init(perSecond: Int = MessagingLimits.framesPerSecond, burst: Int = MessagingLimits.frameBurst) {
    limit = TokenBucket(perSecond: perSecond, burst: burst)
  }

  mutating func receive(_ frame: SignalingFrame, now: Instant) -> Action {
    guard limit.consume(now: now) else {
      return .close(
        .init(
          .tooFast, "At most \(MessagingLimits.framesPerSecond) frames a second are taken (framesPerSecond).",
          retryAfter: 1))
    }
    guard case .text(let bytes) = frame else {
      return fail(nil, .init(.badRequest, "Only text frames are understood."))
    }
    // Some clients and proxies keep a connection open with empty frames.
    if bytes.isEmpty { return .ignore }
    let coder = MessagingCoder()
    do throws(SignalingError) {
      return act(on: try coder.endpointMessage(from: bytes), bytes: bytes.count)
    } catch {
      return fail(coder.requestID(of: bytes), .init(.badRequest, error.description))
    }
  }

  /// Before it is known who speaks, nothing is forgiven.
  private func fail(_ id: Int?, _ failure: MessagingFailure) -> Action {
    if case .waiting = phase { return .close(failure) }
    return .fail(id: id, failure)
  }

  private func act(on message: EndpointMessage, bytes: Int) -> Action {
    switch (message, phase) {
    case (.hello(let hello), .waiting): .hello(hello)
    case (.resume(let resume), .waiting): .resume(resume)
    case (_, .waiting): .close(.init(.badRequest, "The first message is hello or resume."))
    case (.hello, _), (.resume, _): fail(nil, .init(.badRequest, "The endpoint is here already."))
    case (.ping, _): .pong
    case (.request(let id, .setupRetry), .full(let hello, let user, _)): .retry(id: id, hello, user)
    case (.request(let id, let request), .full(_, _, let caller)):
      switch request {
      case .endpointsGet, .endpointDeregister: .request(id: id, request, caller, bytes: bytes)
      default: .fail(id: id, .init(.full, "Free an endpoint, then send setupRetry."))
      }
    case (.request(let id, .setupRetry), .registered):
      .fail(id: id, .init(.notAllowed, "The endpoint is registered."))
    case (.request(let id, let request), .registered(let caller)): .request(id: id, request, caller, bytes: bytes)
    case (.acknowledge(let number), .registered(let caller)): .acknowledge(number, caller)
    case (.acknowledge, .full): .fail(id: nil, .init(.full, "Free an endpoint, then send setupRetry."))
    }
  }
}
