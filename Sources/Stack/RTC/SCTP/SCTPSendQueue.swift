internal import Basics

/// A message on its way out.
struct SCTPOutgoingMessage: Sendable {
  var payload: [UInt8]
  var payloadProtocol: UInt32
  var isOrdered: Bool
  /// Of a protocol above, not of the application: does not show in the stream's amount.
  var isControl = false
  var maxRetransmits: UInt16?
  var expiresAt: Instant

  /// Its share of the amount that waits on its stream, in bytes.
  var countedBytes: Int { isControl ? 0 : payload.count }
}

/// Messages that have not been sent, one queue a stream. Between streams the higher priority goes first, equals take
/// turns by messages: without RFC 8260 the pieces of a message must follow each other.
struct SCTPSendQueue: Sendable {
  private struct Stream: Sendable {
    var messages = FIFO<SCTPOutgoingMessage>()
    var nextSequence: UInt16 = 0
    var queuedBytes = 0
    var lowThreshold = 0
    var priority: UInt16 = 256
    /// The stream is being reset; what is queued belongs to the time after.
    var isPaused = false
    /// The last TSN that carried data of this stream.
    var lastTSN: Int64?
  }

  /// The overhead of every message besides its payload, in bytes.
  static let overhead = 64

  private var streams: [UInt16: Stream] = [:]
  /// The streams that have messages, in turn.
  private var ready: [UInt16] = []
  /// The message of which some pieces have been sent.
  private var current: (stream: UInt16, message: SCTPOutgoingMessage, offset: Int, sequence: UInt16, id: UInt64)?
  private var nextMessageID: UInt64 = 1
  /// Messages given up before their first piece left.
  private(set) var abandonedCount: UInt64 = 0
  /// The streams whose queue fell to their threshold since last asked.
  private(set) var low: [UInt16] = []
  /// Bytes held here, overhead included.
  private(set) var heldBytes = 0

  init() {}

  var isEmpty: Bool { current == nil && ready.isEmpty }

  func queuedBytes(_ stream: UInt16) -> Int { streams[stream]?.queuedBytes ?? 0 }

  /// Sets what a channel asked for; a stream's turn and threshold.
  mutating func configure(_ stream: UInt16, priority: UInt16, lowThreshold: Int) {
    streams[stream, default: Stream()].priority = priority
    streams[stream, default: Stream()].lowThreshold = max(lowThreshold, 0)
  }

  mutating func append(_ message: SCTPOutgoingMessage, stream: UInt16) {
    if streams[stream]?.messages.isEmpty ?? true { ready.append(stream) }
    heldBytes &+= message.payload.count &+ Self.overhead
    streams[stream, default: Stream()].queuedBytes &+= message.countedBytes
    streams[stream, default: Stream()].messages.append(message)
  }

  /// The next piece of at most `maximum` bytes, which gets the TSN `tsn`. Expired messages of the streams looked at are
  /// dropped on the way (RFC 3758 section 4.1). Cost: one look at each stream with data when a new message begins.
  mutating func next(maximum: Int, tsn: Int64, now: Instant) -> SCTPOutstandingChunk? {
    if current == nil {
      guard let stream = startMessage(now: now) else { return nil }
      if streams[stream]?.messages.isEmpty ?? true {
        ready.removeAll { $0 == stream }
      } else if let index = ready.firstIndex(of: stream) {
        ready.remove(at: index)
        ready.append(stream)
      }
    }
    guard let piece = current else { return nil }
    let message = piece.message
    let length = min(maximum, message.payload.count &- piece.offset)
    let isLast = piece.offset &+ length == message.payload.count
    var flags: UInt8 = message.isOrdered ? 0 : SCTPOutstandingChunk.unordered
    if piece.offset == 0 { flags |= SCTPOutstandingChunk.beginning }
    if isLast { flags |= SCTPOutstandingChunk.ending }
    current = isLast ? nil : (piece.stream, message, piece.offset &+ length, piece.sequence, piece.id)
    heldBytes &-= length &+ (isLast ? Self.overhead : 0)
    lower(piece.stream, by: message.isControl ? 0 : length)
    streams[piece.stream]?.lastTSN = tsn
    return SCTPOutstandingChunk(
      payload: message.payload, offset: piece.offset, length: length, stream: piece.stream, sequence: piece.sequence,
      payloadProtocol: message.payloadProtocol, flags: flags, messageID: piece.id,
      maxRetransmits: message.maxRetransmits, expiresAt: message.expiresAt, sentAt: now)
  }

  /// The length of the piece that ``next(maximum:tsn:now:)`` would give, at most; nil when there is none.
  func nextLength(maximum: Int) -> Int? {
    if let current { return min(maximum, current.message.payload.count &- current.offset) }
    guard let stream = choose(), let message = streams[stream]?.messages.first else { return nil }
    return min(maximum, message.payload.count)
  }

  /// Drops the rest of a message of which pieces were abandoned, and gives a chunk that stands for it; nil when nothing
  /// of it waits.
  mutating func abandon(_ messageID: UInt64) -> SCTPOutstandingChunk? {
    guard let piece = current, piece.id == messageID else { return nil }
    let rest = piece.message.payload.count &- piece.offset
    heldBytes &-= rest &+ Self.overhead
    lower(piece.stream, by: piece.message.isControl ? 0 : rest)
    current = nil
    let ordered: UInt8 = piece.message.isOrdered ? 0 : SCTPOutstandingChunk.unordered
    return SCTPOutstandingChunk(
      payload: [], offset: 0, length: 0, stream: piece.stream, sequence: piece.sequence, payloadProtocol: 0,
      flags: ordered | SCTPOutstandingChunk.ending, messageID: piece.id, maxRetransmits: nil,
      expiresAt: .distantFuture, sentAt: .zero, state: .abandoned)
  }

  /// The same for the message being sent, when its time is over.
  mutating func abandonExpired(now: Instant) -> SCTPOutstandingChunk? {
    guard let piece = current, piece.message.expiresAt <= now else { return nil }
    return abandon(piece.id)
  }

  /// Drops what has expired, so that a full buffer does not hold dead messages. Looks at every stream's oldest
  /// messages.
  mutating func purgeExpired(now: Instant) {
    for stream in ready { dropExpired(stream, now: now) }
    ready.removeAll { streams[$0]?.messages.isEmpty ?? true }
  }

  /// Drops what waits on a stream that cannot be used. Only before anything of it was sent.
  mutating func discard(_ id: UInt16) {
    guard var stream = streams.removeValue(forKey: id) else { return }
    while let dead = stream.messages.popFirst() { heldBytes &-= dead.payload.count &+ Self.overhead }
    ready.removeAll { $0 == id }
  }

  mutating func takeLow() -> [UInt16] {
    defer { low.removeAll(keepingCapacity: true) }
    return low
  }

  private func choose() -> UInt16? {
    var best: UInt16?
    var bestPriority = 0
    for id in ready {
      guard let stream = streams[id], !stream.isPaused, Int(stream.priority) &+ 1 > bestPriority else { continue }
      best = id
      bestPriority = Int(stream.priority) &+ 1
    }
    return best
  }

  private mutating func startMessage(now: Instant) -> UInt16? {
    while let id = choose() {
      dropExpired(id, now: now)
      guard let message = streams[id]?.messages.popFirst() else {
        ready.removeAll { $0 == id }
        continue
      }
      let sequence = streams[id]?.nextSequence ?? 0
      if message.isOrdered { streams[id]?.nextSequence = sequence &+ 1 }
      current = (id, message, 0, message.isOrdered ? sequence : 0, nextMessageID)
      nextMessageID &+= 1
      return id
    }
    return nil
  }

  private mutating func dropExpired(_ id: UInt16, now: Instant) {
    while let first = streams[id]?.messages.first, first.expiresAt <= now, let dead = streams[id]?.messages.popFirst() {
      abandonedCount &+= 1
      heldBytes &-= dead.payload.count &+ Self.overhead
      lower(id, by: dead.countedBytes)
    }
  }

  private mutating func lower(_ id: UInt16, by length: Int) {
    guard let stream = streams[id] else { return }
    let rest = stream.queuedBytes &- length
    streams[id]?.queuedBytes = rest
    if stream.queuedBytes > stream.lowThreshold, rest <= stream.lowThreshold { low.append(id) }
  }
}

// MARK: - Stream reset

extension SCTPSendQueue {
  /// Whether everything given to the stream has been sent and acknowledged.
  func isDrained(_ stream: UInt16, cumulativeAck: Int64) -> Bool {
    guard let state = streams[stream] else { return true }
    return state.messages.isEmpty && current?.stream != stream && (state.lastTSN ?? cumulativeAck) <= cumulativeAck
  }

  /// Holds back what is queued from now on until the stream is reset.
  mutating func pause(_ stream: UInt16) { streams[stream, default: Stream()].isPaused = true }

  /// Lets the stream send again, from sequence number zero when the peer has agreed (RFC 6525 section 5.2.7).
  mutating func resume(_ stream: UInt16, isReset: Bool) {
    guard var state = streams[stream] else { return }
    state.isPaused = false
    if isReset { state.nextSequence = 0 }
    streams[stream] = state
  }
}
