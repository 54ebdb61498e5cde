internal import Basics

/// The state of stream resets (RFC 6525): at most one request of ours and one of the peer's is under way.
struct SCTPStreamReset: Sendable {
  /// A request of ours that is not answered.
  struct Request: Sendable {
    var sequence: UInt32
    var streams: [UInt16]
    var chunk: [UInt8]
  }

  /// A request of the peer's that waits for data sent before it (section 5.2.2, "in progress").
  struct Deferred: Sendable {
    var sequence: UInt32
    var lastTSN: Int64
    var streams: [UInt16]
  }

  /// The result codes of section 4.4.
  enum Result {
    static let nothingToDo: UInt32 = 0
    static let performed: UInt32 = 1
    static let denied: UInt32 = 2
    static let wrongStream: UInt32 = 3
    static let alreadyInProgress: UInt32 = 4
    static let badSequence: UInt32 = 5
    static let inProgress: UInt32 = 6
  }

  /// The most streams of one request, so that it fits a packet.
  static let maximumStreams = 200

  /// Streams to be reset when all they carry is acknowledged, in the order asked.
  var waiting: [UInt16] = []
  var request: Request?
  var nextSequence: UInt32
  /// The peer's request that this one answers, for a request the peer asked for.
  var answers: UInt32 = 0
  var timerAt = Instant.distantFuture
  /// The sequence number the peer's next request has.
  var expected: UInt32 = 0
  /// The last answer given, for a request that comes again.
  var lastResult: UInt32?
  var deferred: Deferred?

  init(initialTSN: UInt32) { nextSequence = initialTSN }

  /// The peer's requests count from its initial TSN (section 4.1).
  mutating func expect(_ initialTSN: UInt32) {
    expected = initialTSN
    lastResult = nil
    deferred = nil
  }
}
