/// A message that arrived.
struct SCTPMessage: Sendable, Equatable {
  var stream: UInt16
  var payloadProtocol: UInt32
  var payload: [UInt8]
}

/// The header of a DATA chunk (RFC 9260 section 3.3.1).
struct SCTPDataHeader: Sendable {
  var tsn: Int64
  var stream: UInt16
  var sequence: UInt16
  var payloadProtocol: UInt32
  var isBeginning: Bool
  var isEnding: Bool
  var isUnordered: Bool
}

/// Puts messages together from their pieces and in order (RFC 9260 sections 6.5, 6.6 and 6.9).
///
/// The pieces of a message have successive TSNs, so pieces are kept as *runs* of successive TSNs that grow at either
/// end; a run with a beginning and an ending is a message. Complete ordered messages wait for their turn on their
/// stream. The owner bounds what is held, by ``heldBytes`` and ``heldCount``.
struct SCTPReassembly: Sendable {
  private struct Run: Sendable {
    var first: Int64
    var last: Int64
    var header: SCTPDataHeader
    var hasBeginning: Bool
    var hasEnding: Bool
    var bytes: [UInt8]
    var pieces: Int
    /// Longer than a message may be: only its place is remembered.
    var isOversized = false
  }

  private struct Stream: Sendable {
    var nextSequence: UInt16 = 0
    /// Complete messages ahead of their turn, nearest first.
    var waiting: [(sequence: UInt16, message: SCTPMessage?)] = []
  }

  /// The result of adding a piece.
  enum Outcome: Sendable, Equatable {
    case kept
    /// It cannot become part of a message any more.
    case orphan
    /// Its message's sequence number is past, or waits already.
    case staleSequence
  }

  /// In ascending order of TSN.
  private var runs: [Run] = []
  private var streams: [UInt16: Stream] = [:]
  private let maximumMessage: Int
  /// Payload bytes held.
  private(set) var heldBytes = 0
  /// Pieces and messages held.
  private(set) var heldCount = 0
  /// Messages ready for the application, to be taken by the owner.
  private(set) var ready: [SCTPMessage] = []
  /// Streams on which a message was too long.
  private(set) var oversized: [UInt16] = []

  init(maximumMessage: Int) { self.maximumMessage = max(maximumMessage, 1) }

  /// Takes a piece whose TSN is new. `cumulative` is the cumulative TSN before it.
  ///
  /// Cost: constant for a piece in order, a binary search and a move of the runs behind it otherwise; when two runs
  /// meet, the copy of the second's bytes.
  mutating func insert(
    _ header: SCTPDataHeader, _ packet: Span<UInt8>, _ payload: Range<Int>, cumulative: Int64
  ) -> Outcome {
    if !runs.isEmpty { dropUnfinished(before: header) }
    if header.isBeginning, header.isEnding {
      guard payload.count <= maximumMessage else {
        oversized.append(header.stream)
        return complete(header, nil)
      }
      return complete(header, [UInt8](copying: packet, payload))
    }
    let index = position(of: header.tsn)
    let previous = index &- 1
    let joinsPrevious =
      previous >= 0 && !header.isBeginning && runs[previous].last == header.tsn &- 1 && !runs[previous].hasEnding
      && runs[previous].header.stream == header.stream
    // Everything before it has been received or given up and is not part of a message, so nothing can complete it.
    if !joinsPrevious, !header.isBeginning, header.tsn &- 1 <= cumulative { return .orphan }

    let at: Int
    if joinsPrevious {
      at = previous
      if !runs[at].isOversized {
        for byte in payload { runs[at].bytes.append(packet[byte]) }
        heldBytes &+= payload.count
        runs[at].pieces &+= 1
        heldCount &+= 1
      }
      runs[at].last = header.tsn
      runs[at].hasEnding = header.isEnding
    } else {
      at = index
      runs.insert(
        Run(
          first: header.tsn, last: header.tsn, header: header, hasBeginning: header.isBeginning,
          hasEnding: header.isEnding, bytes: [UInt8](copying: packet, payload), pieces: 1), at: index)
      heldBytes &+= payload.count
      heldCount &+= 1
    }
    joinNext(at)
    return finish(at)
  }

  /// Messages whose turn has come, in order.
  mutating func takeReady() -> [SCTPMessage] {
    defer { ready.removeAll(keepingCapacity: true) }
    return ready
  }

  mutating func takeOversized() -> [UInt16] {
    defer { oversized.removeAll(keepingCapacity: true) }
    return oversized
  }

  /// Nothing more will come up to `cumulative`, because the peer has given it up (RFC 3758 section 3.6): pieces that
  /// can no longer be completed go.
  mutating func skip(to cumulative: Int64) {
    var index = 0
    while index < runs.count, runs[index].first <= cumulative &+ 1 {
      let lostRest = !runs[index].hasEnding && runs[index].last < cumulative
      if lostRest || !runs[index].hasBeginning { drop(index) } else { index &+= 1 }
    }
  }

  /// The peer has given up a stream's ordered messages up to `sequence`; what waited behind them may have its turn.
  mutating func skip(stream id: UInt16, to sequence: UInt16) {
    var stream = streams[id] ?? Stream()
    guard SCTPSerial.distance(sequence, from: stream.nextSequence) >= 0 else { return }
    var index = 0
    while index < stream.waiting.count, SCTPSerial.distance(stream.waiting[index].sequence, from: sequence) <= 0 {
      hand(stream.waiting[index].message)
      index &+= 1
    }
    stream.waiting.removeFirst(index)
    stream.nextSequence = sequence &+ 1
    streams[id] = stream
    deliver(id)
  }

  /// The peer restarts these streams (RFC 6525 section 5.2.2); no list means all of them.
  mutating func reset(_ ids: [UInt16]) {
    if ids.isEmpty {
      for id in Array(streams.keys) { reset(stream: id) }
    } else {
      for id in ids { reset(stream: id) }
    }
  }

  private mutating func reset(stream id: UInt16) {
    guard let stream = streams.removeValue(forKey: id) else { return }
    for entry in stream.waiting { release(entry.message) }
  }
}

extension SCTPReassembly {
  /// The first run that begins behind `tsn`. Pieces mostly arrive in order, so the end is looked at first.
  private func position(of tsn: Int64) -> Int {
    guard let last = runs.last, last.first > tsn else { return runs.count }
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low &+ high) / 2
      if runs[middle].first <= tsn { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  private mutating func joinNext(_ at: Int) {
    let next = at &+ 1
    guard next < runs.count, runs[next].first == runs[at].last &+ 1, !runs[at].hasEnding, !runs[next].hasBeginning,
      runs[next].header.stream == runs[at].header.stream
    else { return }
    if runs[at].isOversized || runs[next].isOversized {
      forgetBytes(at)
      forgetBytes(next)
      runs[at].isOversized = true
    } else {
      runs[at].bytes.append(contentsOf: runs[next].bytes)
      runs[at].pieces &+= runs[next].pieces
    }
    runs[at].last = runs[next].last
    runs[at].hasEnding = runs[next].hasEnding
    runs.remove(at: next)
  }

  private mutating func finish(_ at: Int) -> Outcome {
    if !runs[at].isOversized, runs[at].bytes.count > maximumMessage {
      forgetBytes(at)
      runs[at].isOversized = true
      oversized.append(runs[at].header.stream)
    }
    guard runs[at].hasBeginning, runs[at].hasEnding else { return .kept }
    let run = runs.remove(at: at)
    heldBytes &-= run.bytes.count
    heldCount &-= run.pieces
    return complete(run.header, run.isOversized ? nil : run.bytes)
  }

  private mutating func forgetBytes(_ at: Int) {
    heldBytes &-= runs[at].bytes.count
    heldCount &-= runs[at].pieces
    runs[at].bytes = []
    runs[at].pieces = 0
  }

  /// A message that does not go on with the TSN behind it was abandoned halfway by its sender: it never ends.
  private mutating func dropUnfinished(before header: SCTPDataHeader) {
    let previous = position(of: header.tsn) &- 1
    guard previous >= 0, runs[previous].last == header.tsn &- 1, !runs[previous].hasEnding,
      header.isBeginning || runs[previous].header.stream != header.stream
    else { return }
    drop(previous)
  }

  private mutating func drop(_ at: Int) {
    forgetBytes(at)
    runs.remove(at: at)
  }

  /// A whole message; nil bytes for one that was too long and only takes its turn.
  private mutating func complete(_ header: SCTPDataHeader, _ bytes: [UInt8]?) -> Outcome {
    let message = bytes.map {
      SCTPMessage(stream: header.stream, payloadProtocol: header.payloadProtocol, payload: $0)
    }
    if header.isUnordered {
      if let message { ready.append(message) }
      return .kept
    }
    var stream = streams[header.stream] ?? Stream()
    let distance = SCTPSerial.distance(header.sequence, from: stream.nextSequence)
    if distance < 0 { return .staleSequence }
    if distance == 0 {
      if let message { ready.append(message) }
      stream.nextSequence &+= 1
      streams[header.stream] = stream
      deliver(header.stream)
      return .kept
    }
    // Mostly the newest, so look from the end.
    var index = stream.waiting.count
    while index > 0, SCTPSerial.distance(stream.waiting[index &- 1].sequence, from: header.sequence) > 0 { index &-= 1 }
    if index > 0, stream.waiting[index &- 1].sequence == header.sequence { return .staleSequence }
    // Given back before the change, so that the list is changed in place.
    stream.waiting = []
    streams[header.stream, default: Stream()].waiting.insert((header.sequence, message), at: index)
    heldBytes &+= message?.payload.count ?? 0
    heldCount &+= 1
    return .kept
  }

  private mutating func deliver(_ id: UInt16) {
    guard let stream = streams[id], !stream.waiting.isEmpty else { return }
    var next = stream.nextSequence
    var count = 0
    while count < stream.waiting.count, stream.waiting[count].sequence == next {
      hand(stream.waiting[count].message)
      next &+= 1
      count &+= 1
    }
    guard count > 0 else { return }
    streams[id]?.waiting.removeFirst(count)
    streams[id]?.nextSequence = next
  }

  private mutating func hand(_ message: SCTPMessage?) {
    release(message)
    if let message { ready.append(message) }
  }

  private mutating func release(_ message: SCTPMessage?) {
    heldBytes &-= message?.payload.count ?? 0
    heldCount &-= 1
  }
}
