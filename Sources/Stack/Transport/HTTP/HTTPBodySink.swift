internal import Synchronization

/// Receives the body of one request piece by piece, so that it is never in memory whole.
///
/// The calls come one after the other. After ``begin(length:)`` or ``take(_:)`` has refused nothing more is called;
/// otherwise either ``finish()`` or ``cancel()`` is the last.
///
/// The rest of a refused body is read and thrown away, so that the client sees the answer, within
/// ``HTTPServer/Configuration/refusedBodyLimit`` and ``HTTPServer/Configuration/refusedBodyTimeout``. Then the client
/// is answered in the middle of its body, and the connection closed.
public protocol HTTPBodySink: Sendable {
  /// The most bytes of body; of more none is read, and the answer is ``refusal(ofLength:)``.
  var limit: Int { get }
  /// The answer to a body that is said to have more than ``limit`` bytes. Nothing else is called then. Without one of
  /// its own a sink answers 413 (`tooLarge`).
  func refusal(ofLength length: Int) -> HTTPResponse
  /// Before the first piece: the answer that refuses the body, or nil to take it.
  func begin(length: Int) async -> HTTPResponse?
  /// The next piece: the answer that refuses the rest, or nil to go on.
  func take(_ piece: [UInt8]) async -> HTTPResponse?
  /// The body has come whole.
  func finish() async -> HTTPResponse
  /// The client went away, or took too long.
  func cancel() async
}

extension HTTPBodySink {
  /// 413 (`tooLarge`), with the most that is taken.
  public func refusal(ofLength length: Int) -> HTTPResponse { .tooLarge(most: limit) }
}

extension HTTPResponse {
  /// The answer to a body of more bytes than are taken.
  static func tooLarge(most: Int) -> HTTPResponse {
    .refusal("The body is larger than \(most) bytes.", status: 413, code: "tooLarge")
  }
}

/// The pieces of a body between the service thread, which brings them, and the task that gives them to a sink.
final class HTTPBodyQueue: Sendable {
  /// How many bytes may wait before reading pauses.
  private static let highWater = 256 << 10

  private struct State {
    var bytes: [UInt8] = []
    var isEnded = false
    var isWhole = false
    var isPaused = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  /// Called when reading may go on.
  private let resume: @Sendable () -> Void
  /// Called when the sink wants the body.
  private let accepted: @Sendable () -> Void
  /// Called when the sink has refused what is still to come.
  private let refused: @Sendable () -> Void

  init(
    resume: @escaping @Sendable () -> Void, accepted: @escaping @Sendable () -> Void,
    refused: @escaping @Sendable () -> Void
  ) {
    self.resume = resume
    self.accepted = accepted
    self.refused = refused
  }

  /// Adds a piece; true when reading is to pause.
  func add(_ piece: UnsafeRawBufferPointer) -> Bool {
    let (waiter, isFull) = state.withLock { state in
      unsafe state.bytes.append(contentsOf: piece)
      state.isPaused = state.bytes.count > Self.highWater
      defer { state.waiter = nil }
      return (state.waiter, state.isPaused)
    }
    waiter?.resume()
    return isFull
  }

  /// Nothing comes any more: the body is whole, or the client is gone.
  func end(isWhole: Bool) {
    let waiter = state.withLock { state in
      if !state.isEnded { (state.isEnded, state.isWhole) = (true, isWhole) }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Gives the body to `sink`, and returns the answer once ``end(isWhole:)`` was called, also of a body that was
  /// refused: a client that is answered in the middle of what it sends often does not see the answer.
  func run(_ sink: any HTTPBodySink, length: Int) async -> HTTPResponse {
    var refusal = await sink.begin(length: length)
    if refusal == nil { accepted() } else { refused() }
    while let piece = await next() {
      guard refusal == nil else { continue }
      refusal = await sink.take(piece)
      if refusal != nil { refused() }
    }
    if let refusal { return refusal }
    if state.withLock({ $0.isWhole }) { return await sink.finish() }
    await sink.cancel()
    return .refusal("The body did not come whole.", status: 400, code: "badRequest")
  }

  /// The next piece; nil at the end.
  private func next() async -> [UInt8]? {
    while true {
      let (bytes, isEnded, wasPaused) = state.withLock { state in
        defer { (state.bytes, state.isPaused) = ([], false) }
        return (state.bytes, state.isEnded, state.isPaused)
      }
      if wasPaused { resume() }
      if !bytes.isEmpty { return bytes }
      if isEnded { return nil }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if !state.bytes.isEmpty || state.isEnded { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}
