internal import Basics

// Stream reset (RFC 6525).
extension SCTPAssociation {
  /// Resets our half of these streams once everything sent on them is acknowledged. Messages given to them from now on
  /// go out after the reset.
  mutating func resetStreams(_ streams: [UInt16], now: Instant) {
    observe(now)
    for stream in streams where !reset.waiting.contains(stream) { reset.waiting.append(stream) }
    progressReset()
  }

  /// Sends the next request when none is under way and a stream is ready.
  mutating func progressReset() {
    guard state == .established || state == .shutdownPending, reset.request == nil, !reset.waiting.isEmpty else {
      return
    }
    var streams: [UInt16] = []
    for stream in reset.waiting
    where streams.count < SCTPStreamReset.maximumStreams
      && sender.queue.isDrained(stream, cumulativeAck: sender.cumulativeAck)
    {
      streams.append(stream)
    }
    guard !streams.isEmpty else { return }
    reset.waiting.removeAll { streams.contains($0) }
    guard peerSupportsReset else {
      // Nothing to wait for: the peer will never reset its half either.
      events.append(.outgoingReset(streams))
      events.append(.incomingReset(streams))
      return
    }
    for stream in streams { sender.queue.pause(stream) }
    var parameter: [UInt8] = []
    parameter.appendNetwork(reset.nextSequence)
    parameter.appendNetwork(reset.answers)
    parameter.appendNetwork(SCTPSerial.wire(sender.nextTSN &- 1))
    for stream in streams { parameter.appendNetwork(stream) }
    var value: [UInt8] = []
    value.appendParameter(SCTPParameter.outgoingReset, parameter)
    let chunk = [UInt8].sctpChunk(.reconfiguration, value)
    reset.request = SCTPStreamReset.Request(sequence: reset.nextSequence, streams: streams, chunk: chunk)
    reset.nextSequence &+= 1
    reset.answers = 0
    enqueue(chunk)
    reset.timerAt = clock + sender.rto.value
  }

  /// The answer is late: ask again (section 5.1.1).
  mutating func handleResetTimer() {
    guard let request = reset.request else { return reset.timerAt = .distantFuture }
    sender.rto.backOff()
    countError()
    enqueue(request.chunk)
    reset.timerAt = clock + sender.rto.value
  }

  mutating func receiveReconfiguration(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard isUp else { return drops.count(.unexpectedChunk) }
    var walker = SCTPItemWalker(value)
    // Section 3.1: one or two parameters.
    for _ in 0..<2 {
      switch walker.next(in: packet) {
      case .end: return
      case .malformed: return drops.count(.malformedChunk)
      case .item(let offset, let item):
        switch packet.networkUInt16(at: offset) {
        case SCTPParameter.outgoingReset: receiveOutgoingReset(packet, item)
        case SCTPParameter.reconfigurationResponse: receiveResetResponse(packet, item)
        case SCTPParameter.incomingReset: receiveIncomingReset(packet, item)
        case SCTPParameter.tsnReset, SCTPParameter.addOutgoingStreams, SCTPParameter.addIncomingStreams:
          guard item.count >= 4 else { return drops.count(.malformedChunk) }
          // Data channels have no use for them.
          if let sequence = accept(packet.networkUInt32(at: item.lowerBound)) {
            drops.count(.refusedReset)
            answer(sequence, SCTPStreamReset.Result.denied)
          }
        default: drops.count(.refusedReset)
        }
      }
    }
    if case .item = walker.next(in: packet) { drops.count(.tooManyParts) }
  }

  /// The peer ends its half of streams (section 5.2.2).
  private mutating func receiveOutgoingReset(_ packet: Span<UInt8>, _ item: Range<Int>) {
    guard item.count >= 12, item.count % 2 == 0 else { return drops.count(.malformedChunk) }
    let sequence = packet.networkUInt32(at: item.lowerBound)
    if let deferred = reset.deferred {
      // The same request again: still waiting. Another one before that is done: section 5.2.2 E.
      drops.count(.refusedReset)
      let result =
        deferred.sequence == sequence
        ? SCTPStreamReset.Result.inProgress : SCTPStreamReset.Result.alreadyInProgress
      return sendResponse(sequence, result)
    }
    guard accept(sequence) != nil else { return }
    let lastTSN = received.unwrap(packet.networkUInt32(at: item.lowerBound &+ 8))
    var streams: [UInt16] = []
    for at in stride(from: item.lowerBound &+ 12, to: item.upperBound, by: 2) {
      streams.append(packet.networkUInt16(at: at))
    }
    guard streams.allSatisfy({ $0 < inboundStreams }) else {
      drops.count(.refusedReset)
      return answer(sequence, SCTPStreamReset.Result.wrongStream)
    }
    guard lastTSN &- received.cumulative <= SCTPReceivedSequence.maximumDistance else {
      drops.count(.tsnTooFarAhead)
      return answer(sequence, SCTPStreamReset.Result.denied)
    }
    reset.deferred = SCTPStreamReset.Deferred(sequence: sequence, lastTSN: lastTSN, streams: streams)
    if received.cumulative < lastTSN { return answer(sequence, SCTPStreamReset.Result.inProgress) }
    performDeferredReset()
  }

  /// Carries out the peer's reset when everything sent before it has arrived, and says so.
  mutating func performDeferredReset() {
    guard state != .ended, let deferred = reset.deferred, received.cumulative >= deferred.lastTSN else { return }
    reset.deferred = nil
    deliver()
    reassembly.reset(deferred.streams)
    events.append(.incomingReset(deferred.streams))
    answer(deferred.sequence, SCTPStreamReset.Result.performed)
  }

  /// The peer asks us to end our half of streams (section 5.2.3); our request is the answer.
  private mutating func receiveIncomingReset(_ packet: Span<UInt8>, _ item: Range<Int>) {
    guard item.count >= 4, item.count % 2 == 0 else { return drops.count(.malformedChunk) }
    guard let sequence = accept(packet.networkUInt32(at: item.lowerBound)) else { return }
    guard reset.request == nil, reset.waiting.isEmpty else {
      drops.count(.refusedReset)
      return answer(sequence, SCTPStreamReset.Result.alreadyInProgress)
    }
    var streams: [UInt16] = []
    for at in stride(from: item.lowerBound &+ 4, to: item.upperBound, by: 2) {
      let stream = packet.networkUInt16(at: at)
      if stream < outboundStreams, !streams.contains(stream), streams.count < SCTPStreamReset.maximumStreams {
        streams.append(stream)
      }
    }
    guard !streams.isEmpty else {
      drops.count(.refusedReset)
      return answer(sequence, SCTPStreamReset.Result.wrongStream)
    }
    reset.lastResult = SCTPStreamReset.Result.inProgress
    reset.answers = sequence
    resetStreams(streams, now: clock)
  }

  /// The peer's answer to our request (section 5.2.7).
  private mutating func receiveResetResponse(_ packet: Span<UInt8>, _ item: Range<Int>) {
    guard item.count >= 8 else { return drops.count(.malformedChunk) }
    guard let request = reset.request, packet.networkUInt32(at: item.lowerBound) == request.sequence else {
      return drops.count(.refusedReset)
    }
    errorCount = 0
    let result = packet.networkUInt32(at: item.lowerBound &+ 4)
    if result == SCTPStreamReset.Result.inProgress || result == SCTPStreamReset.Result.alreadyInProgress {
      reset.timerAt = clock + sender.rto.value
      return
    }
    let isReset = result == SCTPStreamReset.Result.performed || result == SCTPStreamReset.Result.nothingToDo
    if !isReset { drops.count(.refusedReset) }
    for stream in request.streams { sender.queue.resume(stream, isReset: isReset) }
    reset.request = nil
    reset.timerAt = .distantFuture
    events.append(.outgoingReset(request.streams))
    progressReset()
  }

  /// Checks a request's sequence number (section 5.2.1): the next one is taken, the last one answered again, others
  /// refused.
  private mutating func accept(_ sequence: UInt32) -> UInt32? {
    if sequence == reset.expected {
      reset.expected &+= 1
      reset.lastResult = nil
      return sequence
    }
    if sequence == reset.expected &- 1, let last = reset.lastResult {
      sendResponse(sequence, last)
    } else {
      drops.count(.refusedReset)
      sendResponse(sequence, SCTPStreamReset.Result.badSequence)
    }
    return nil
  }

  private mutating func answer(_ sequence: UInt32, _ result: UInt32) {
    reset.lastResult = result
    sendResponse(sequence, result)
  }

  private mutating func sendResponse(_ sequence: UInt32, _ result: UInt32) {
    var parameter: [UInt8] = []
    parameter.appendNetwork(sequence)
    parameter.appendNetwork(result)
    var value: [UInt8] = []
    value.appendParameter(SCTPParameter.reconfigurationResponse, parameter)
    enqueue(.sctpChunk(.reconfiguration, value))
  }
}
