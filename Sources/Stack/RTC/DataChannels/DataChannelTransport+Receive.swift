internal import Basics

// Turns events of the association into those of data channels (RFC 8831 sections 6.4 to 6.7, RFC 8832 section 6).
extension DataChannelTransport {
  mutating func handle(_ event: SCTPEvent) {
    switch event {
    case .up(let restarted): connect(restarted)
    case .message(let message): receive(message)
    case .oversized(let stream):
      // RFC 8841 section 6.1: a peer that exceeds what we announced breaks the agreement; the channel cannot go on.
      counts.drops.count(.messageTooLarge)
      beginClosing(stream, now: association.clock)
    case .incomingReset(let streams): peerReset(streams)
    case .outgoingReset(let streams):
      for stream in streams where resetting.remove(stream) == nil {
        channels[stream]?.isOutgoingReset = true
        finishClosing(stream)
      }
    case .ended(let failure): noteEnd(failure)
    }
  }

  private mutating func connect(_ restarted: Bool) {
    let known = channels.values.sorted { $0.id.incarnation < $1.id.incarnation }
    if restarted {
      // The peer knows none of the channels any more.
      for channel in known { drop(channel.id) }
      resetting = []
    }
    announce(.connected)
    guard !restarted else { return }
    let limit = min(association.outboundStreams, association.inboundStreams)
    for channel in known {
      if channel.id.streamID < limit {
        if !channel.isClosing { announce(.opened(channel.id, channel.options)) }
      } else {
        // The peer has fewer streams than we hoped for (RFC 8831 section 6.2).
        association.sender.queue.discard(channel.id.streamID)
        drop(channel.id)
      }
    }
  }

  private mutating func receive(_ message: SCTPMessage) {
    let cost = SCTPAssociation.cost(message)
    switch message.payloadProtocol {
    case DataChannelPayload.control: receiveControl(message, cost: cost)
    case DataChannelPayload.text: receive(message, .text, isEmpty: false, cost)
    case DataChannelPayload.binary: receive(message, .binary, isEmpty: false, cost)
    case DataChannelPayload.emptyText: receive(message, .text, isEmpty: true, cost)
    case DataChannelPayload.emptyBinary: receive(message, .binary, isEmpty: true, cost)
    default:
      counts.drops.count(.unknownPayloadProtocol)
      association.release(cost)
    }
  }

  private mutating func receive(_ message: SCTPMessage, _ kind: DataMessageKind, isEmpty: Bool, _ cost: Int) {
    guard let channel = channels[message.stream] else {
      counts.drops.count(.unknownChannel)
      return association.release(cost)
    }
    // A closing side does not listen any more (W3C: not "open").
    guard !channel.isClosing else { return association.release(cost) }
    let payload = isEmpty ? [] : message.payload
    let size = UInt64(truncatingIfNeeded: payload.count)
    channels[message.stream]?.isAcknowledged = true
    channels[message.stream]?.statistics.messagesReceived &+= 1
    channels[message.stream]?.statistics.bytesReceived &+= size
    counts.messagesReceived &+= 1
    counts.bytesReceived &+= size
    announce(.message(channel.id, kind, payload), cost: cost)
  }

  private mutating func receiveControl(_ message: SCTPMessage, cost: Int) {
    switch DCEPMessage(parsing: message.payload.span, maximumName: configuration.maximumLabelLength) {
    case .acknowledge:
      association.release(cost)
      if channels[message.stream] == nil { counts.drops.count(.unknownChannel) }
      channels[message.stream]?.isAcknowledged = true
    case .open(let options): receiveOpen(options, message.stream, cost: cost)
    case nil:
      association.release(cost)
      refuseOpen(message.stream)
    }
  }

  private mutating func receiveOpen(_ options: DataChannelOptions, _ stream: UInt16, cost: Int) {
    if let channel = channels[stream], channel.isIncomingReset {
      // Only the answer to our reset is still on its way; the peer has seen both halves end and uses the stream again.
      if !channel.isOutgoingReset { resetting.insert(stream) }
      drop(channel.id)
    }
    guard channels[stream] == nil, isPeersStream(stream), channels.count < configuration.maximumChannels else {
      association.release(cost)
      return refuseOpen(stream)
    }
    guard sendControl(.acknowledge, stream: stream, now: association.clock) else {
      association.release(cost)
      return refuseOpen(stream)
    }
    let id = addChannel(stream, options, isAcknowledged: true)
    announce(.opened(id, options), cost: cost)
  }

  /// RFC 8832 section 6: an OPEN that cannot be right closes the stream; no ACK is sent.
  private mutating func refuseOpen(_ stream: UInt16) {
    counts.drops.count(.refusedOpen)
    if channels[stream] != nil { return beginClosing(stream, now: association.clock) }
    guard stream < association.outboundStreams, resetting.insert(stream).inserted else { return }
    association.resetStreams([stream], now: association.clock)
  }

  /// The peer ended its half: end ours (RFC 8831 section 6.7).
  private mutating func peerReset(_ streams: [UInt16]) {
    for stream in streams.isEmpty ? channels.keys.sorted() : streams {
      guard channels[stream] != nil else { continue }
      channels[stream]?.isIncomingReset = true
      beginClosing(stream, now: association.clock)
      finishClosing(stream)
    }
  }

  private mutating func finishClosing(_ stream: UInt16) {
    guard let channel = channels[stream], channel.isIncomingReset, channel.isOutgoingReset else { return }
    drop(channel.id)
  }

  private mutating func drop(_ id: DataChannelID) {
    channels[id.streamID] = nil
    counts.dataChannelsClosed &+= 1
    announce(.closed(id))
  }
}
