public import Basics
internal import Synchronization

/// A WebSocket (RFC 6455), at either end.
///
/// Receive with ``messages`` (one reader); send from anywhere without waiting: messages are queued in order and
/// written when the socket takes them. Both queues are bounded: a peer that sends faster than the reader reads is
/// stopped by TCP's flow control, and one that does not read what it is sent is disconnected.
public final class WebSocketConnection: Sendable {
  /// A whole message, its fragments put together.
  public enum Message: Sendable, Equatable {
    /// Text, valid UTF-8.
    case text(String)
    /// Bytes.
    case binary([UInt8])

    var size: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .binary(let bytes): bytes.count
      }
    }
  }

  /// How a connection ended.
  public struct Closing: Sendable, Equatable {
    /// The close code (RFC 6455 section 7.4.1); 1006 when the connection broke without one.
    public var code: UInt16
    /// The reason given with the code, or ours when this end closed it.
    public var reason: String
    /// Whether the other end started the closing.
    public var byPeer: Bool

    /// A closing from its parts.
    public init(code: UInt16, reason: String, byPeer: Bool) {
      self.code = code
      self.reason = reason
      self.byPeer = byPeer
    }
  }

  struct State {
    var inbound: [Message] = []
    var inboundBytes = 0
    var paused = false
    var reader: CheckedContinuation<Message?, Never>?
    var outbound: [Message] = []
    var outboundBytes = 0
    var scheduled = false
    var closing: Closing?
    var overflowed = false
    var closed: Closing?
    var watchers: [CheckedContinuation<Closing, Never>] = []
    var handlers: [@Sendable (Closing) -> Void] = []

    /// Whether too much would wait with `size` more bytes. The largest message doesn't count: the first one to somebody
    /// who comes into a meeting of hundreds may be longer than `limit` by itself.
    func overflows(adding size: Int, limit: Int) -> Bool {
      let total = outboundBytes + size
      guard total > limit else { return false }
      return total - outbound.reduce(size) { max($0, $1.size) } > limit
    }
  }

  /// The request that opened it; at a client, the request it sent.
  public let request: HTTPRequest
  /// Whether the server has a place only for what comes back to something that it had: refuse everything else.
  public let isReserved: Bool
  /// Bytes that may wait to be read before the peer is held back.
  let inboundLimit: Int
  /// Bytes that may wait to be sent before the peer is disconnected.
  let outboundLimit: Int

  let state = Mutex(State())
  private let wake: @Sendable () -> Void
  private let proved: @Sendable () -> Void

  /// A connection whose writer is woken by `wake`, from any thread.
  init(
    request: HTTPRequest, inboundLimit: Int, outboundLimit: Int, isReserved: Bool = false,
    prove: @escaping @Sendable () -> Void = {}, wake: @escaping @Sendable () -> Void
  ) {
    self.isReserved = isReserved
    proved = prove
    self.request = request
    self.inboundLimit = inboundLimit
    self.outboundLimit = outboundLimit
    self.wake = wake
  }

  /// Says that the connection is of use: from now on it gives way to no other where a server has too many. Any thread.
  public func prove() { proved() }

  /// The other end's address.
  public var remote: TransportAddress { request.remote }

  // MARK: Receiving

  /// The messages until the connection is closed; for one reader.
  public var messages: Messages { Messages(connection: self) }

  /// Messages as an asynchronous sequence.
  public struct Messages: AsyncSequence, Sendable {
    let connection: WebSocketConnection
    /// The iterator of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
      let connection: WebSocketConnection
      /// The next message; nil when the connection is closed and everything is read.
      public mutating func next() async -> Message? { await connection.receive() }
    }
    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection) }
  }

  /// The next message; nil when the connection is closed and everything is read, or the task is cancelled.
  public func receive() async -> Message? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enum Outcome {
          case message(Message?)
          case waiting
        }
        let (outcome, resume) = state.withLock { state -> (Outcome, Bool) in
          if !state.inbound.isEmpty {
            let message = state.inbound.removeFirst()
            state.inboundBytes -= message.size
            let resume = state.paused && state.inboundBytes <= inboundLimit / 2
            if resume { state.paused = false }
            return (.message(message), resume)
          }
          if state.closed != nil || Task.isCancelled || state.reader != nil { return (.message(nil), false) }
          state.reader = continuation
          return (.waiting, false)
        }
        if resume { wake() }
        if case .message(let message) = outcome { continuation.resume(returning: message) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }
      reader?.resume(returning: nil)
    }
  }

  // MARK: Sending

  /// Queues a text message; returns at once.
  ///
  /// - Returns: False when the connection is closing or closed, or when the queue would exceed its limit: then the peer
  ///   does not read, and is disconnected (close code 1008).
  @discardableResult public func send(text: String) -> Bool { enqueue(.text(text)) }

  /// Queues a binary message; as ``send(text:)``.
  @discardableResult public func send(binary: [UInt8]) -> Bool { enqueue(.binary(binary)) }

  private func enqueue(_ message: Message) -> Bool {
    let size = message.size
    let (accepted, mustWake) = state.withLock { state -> (Bool, Bool) in
      if state.closing != nil || state.closed != nil { return (false, false) }
      if state.overflows(adding: size, limit: outboundLimit) {
        state.overflowed = true
        state.closing = Closing(code: 1_008, reason: "does not read what it is sent", byPeer: false)
        state.outbound.removeAll()
        state.outboundBytes = 0
        return (false, true)
      }
      state.outbound.append(message)
      state.outboundBytes += size
      defer { state.scheduled = true }
      return (true, !state.scheduled)
    }
    if mustWake { wake() }
    return accepted
  }

  // MARK: Closing

  /// Closes the connection after what is queued has been sent (at most five seconds).
  ///
  /// - Parameters:
  ///   - code: 1000 when all is well, 1001 when the server goes away, 1008 for a broken rule, …
  ///   - reason: At most 123 bytes of it are sent.
  public func close(code: UInt16 = 1_000, reason: String = "") {
    let mustWake = state.withLock { state in
      if state.closing != nil || state.closed != nil { return false }
      state.closing = Closing(code: code, reason: reason, byPeer: false)
      return true
    }
    if mustWake { wake() }
  }

  /// Waits until the connection is over and says how it ended.
  public func closed() async -> Closing {
    await withCheckedContinuation { continuation in
      let over = state.withLock { state -> Closing? in
        if let closed = state.closed { return closed }
        state.watchers.append(continuation)
        return nil
      }
      if let over { continuation.resume(returning: over) }
    }
  }

  /// How it ended, once it has.
  public var closing: Closing? { state.withLock { $0.closed } }

  /// Calls `handler` when the connection is over (at once when it is already), on the service thread: keep it short.
  public func onClose(_ handler: @escaping @Sendable (Closing) -> Void) {
    let over = state.withLock { state -> Closing? in
      if let closed = state.closed { return closed }
      state.handlers.append(handler)
      return nil
    }
    if let over { handler(over) }
  }

  // MARK: For the wire

  /// Takes a received message; false when the sender must be held back from now on.
  func deliver(_ message: Message) -> Bool {
    let (reader, goOn) = state.withLock { state -> (CheckedContinuation<Message?, Never>?, Bool) in
      if let reader = state.reader {
        state.reader = nil
        return (reader, true)
      }
      state.inbound.append(message)
      state.inboundBytes += message.size
      if state.inboundBytes > inboundLimit || state.inbound.count > 1_024 { state.paused = true }
      return (nil, !state.paused)
    }
    reader?.resume(returning: message)
    return goOn
  }

  /// The connection is over.
  func finish(_ closing: Closing) {
    let (reader, watchers, handlers, final) = state.withLock { state in
      guard state.closed == nil else {
        return (
          CheckedContinuation<Message?, Never>?.none, [CheckedContinuation<Closing, Never>](),
          [@Sendable (Closing) -> Void](), closing
        )
      }
      // This end's own reason says more than "the connection broke" that follows it.
      let final = closing.code == 1_006 ? state.closing ?? closing : closing
      state.closed = final
      state.outbound.removeAll()
      state.outboundBytes = 0
      defer {
        state.reader = nil
        state.watchers = []
        state.handlers = []
      }
      return (state.reader, state.watchers, state.handlers, final)
    }
    reader?.resume(returning: nil)
    for watcher in watchers { watcher.resume(returning: final) }
    for handler in handlers { handler(final) }
  }
}
