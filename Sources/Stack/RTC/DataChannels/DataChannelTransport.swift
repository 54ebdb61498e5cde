public import Basics

/// Data channels over one DTLS connection: an SCTP association (RFC 9260 over RFC 8261) with the channel protocol on
/// top (RFC 8831, RFC 8832), without I/O and clock.
///
///     transport.start(now: now)                       // DTLS is connected; both ends do this
///     let chat = try transport.open(DataChannelOptions(label: "chat"), now: now)
///     loop: dtls event .received(bytes): transport.receive(bytes.span, now: now)
///           while let event = transport.pollEvent() { … }
///           while let packet = transport.pollTransmit() { dtls.send(packet.span) }
///           wait until transport.deadline or a datagram; handleTimeout(now:)
///
/// After each call poll the events and the packets. The time given with the last call counts for the packets.
///
/// ``SCTPConfiguration`` bounds the memory that a peer can make it hold. Invalid input is dropped and counted in
/// ``DataChannelStatistics/drops``, or ends the association if the RFC says so. Events that are not polled close the
/// receive window, so a slow reader slows its peer down and grows nothing.
///
/// Memory: about 2 kB idle, and the messages under way.
public struct DataChannelTransport: Sendable {
  struct Channel: Sendable {
    let id: DataChannelID
    var options: DataChannelOptions
    /// The peer knows the channel: unordered messages may go unordered (RFC 8832 section 6).
    var isAcknowledged: Bool
    var isClosing = false
    /// The peer has reset its half of the stream.
    var isIncomingReset = false
    /// Our half is reset.
    var isOutgoingReset = false
    var statistics = DataChannelCounts()
  }

  let configuration: SCTPConfiguration
  private let isClient: Bool
  var association: SCTPAssociation
  var channels: [UInt16: Channel] = [:]
  /// Streams without a channel whose reset the peer has not confirmed.
  var resetting: Set<UInt16> = []
  private var nextIncarnation: UInt32 = 0
  /// Events with what they hold of the receive buffer.
  private var events = FIFO<(event: DataChannelEvent, cost: Int)>()
  /// Channels whose ``DataChannelEvent/bufferedAmountLow(_:)`` waits to be polled.
  private var lowAnnounced: Set<DataChannelID> = []
  /// Streams that were refused a message for want of room.
  private var starved: Set<UInt16> = []
  private var hasEnded = false
  var counts = DataChannelStatistics()

  /// The most bytes the peer takes in one message (its `a=max-message-size`); set it when the description says so. Zero
  /// there means no limit; give what you want to hold then.
  public var maximumSendMessageSize: Int

  /// A transport that has not started.
  ///
  /// - Parameters:
  ///   - dtlsRole: this end's role; it decides which streams are ours to open (RFC 8832 section 6).
  ///   - random: tags, sequence numbers and the cookie's secret come from it. Leave it out except in tests.
  public init(
    dtlsRole: DTLSRole, configuration: SCTPConfiguration = .init(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.configuration = configuration
    isClient = dtlsRole == .client
    association = SCTPAssociation(configuration: configuration, random: random)
    maximumSendMessageSize = configuration.maximumSendMessageSize
  }

  /// DTLS is up: sends INIT, unless the peer was faster. Both ends call it. Does nothing a second time.
  public mutating func start(now: Instant) {
    association.start(now: now)
    settle()
  }

  /// Takes one SCTP packet out of DTLS. Cost: the checksum and constant work per chunk; no allocation but for the
  /// messages and answers themselves.
  public mutating func receive(_ packet: Span<UInt8>, now: Instant) {
    association.receive(packet, now: now)
    settle()
  }

  /// Opens a channel, before or after ``start(now:)``. ``DataChannelEvent/opened(_:_:)`` says when it may be used,
  /// though messages sent before are kept and follow.
  ///
  /// - Throws: ``DataChannelError/tooManyChannels``, ``DataChannelError/idInUse(_:)``,
  ///   ``DataChannelError/idOutOfRange(_:)``, ``DataChannelError/twoLimits``,
  ///   ``DataChannelError/labelTooLong(limit:)``, ``DataChannelError/bufferFull``, ``DataChannelError/ended``.
  public mutating func open(_ options: DataChannelOptions, now: Instant) throws(DataChannelError) -> DataChannelID {
    guard association.takesData else { throw .ended }
    guard options.maxRetransmits == nil || options.maxLifetime == nil else { throw .twoLimits }
    let limit = min(configuration.maximumLabelLength, 65_535)
    guard options.label.utf8.count <= limit, options.protocol.utf8.count <= limit else {
      throw .labelTooLong(limit: limit)
    }
    guard channels.count < configuration.maximumChannels else { throw .tooManyChannels }
    let stream = try chooseStream(options.negotiatedID)
    if options.negotiatedID == nil {
      let sent = sendControl(.open(options), stream: stream, now: now)
      guard sent else { throw .bufferFull }
    }
    let id = addChannel(stream, options, isAcknowledged: options.negotiatedID != nil)
    if association.isUp { announce(.opened(id, options)) }
    settle()
    return id
  }

  /// Sends a message. It is copied once, and leaves with ``pollTransmit()`` as the windows allow.
  ///
  /// - Throws: ``DataChannelError/bufferFull``, ``DataChannelError/messageTooLarge(limit:)``,
  ///   ``DataChannelError/unknownChannel``, ``DataChannelError/closing``, ``DataChannelError/ended``.
  public mutating func send(
    _ message: Span<UInt8>, kind: DataMessageKind, on id: DataChannelID, now: Instant
  ) throws(DataChannelError) {
    guard association.takesData else { throw .ended }
    guard let channel = channels[id.streamID], channel.id == id else { throw .unknownChannel }
    guard !channel.isClosing else { throw .closing }
    guard message.count <= maximumSendMessageSize else { throw .messageTooLarge(limit: maximumSendMessageSize) }
    let payloadProtocol: UInt32
    switch (kind, message.isEmpty) {
    case (.text, false): payloadProtocol = DataChannelPayload.text
    case (.text, true): payloadProtocol = DataChannelPayload.emptyText
    case (.binary, false): payloadProtocol = DataChannelPayload.binary
    case (.binary, true): payloadProtocol = DataChannelPayload.emptyBinary
    }
    // SCTP has no empty messages: one byte that the PPID makes void (RFC 8831 section 6.6).
    let outgoing = SCTPOutgoingMessage(
      payload: message.isEmpty ? [0] : [UInt8](copying: message, 0..<message.count), payloadProtocol: payloadProtocol,
      isOrdered: channel.options.ordered || !channel.isAcknowledged, maxRetransmits: channel.options.maxRetransmits,
      expiresAt: channel.options.maxLifetime.map { now + $0 } ?? .distantFuture)
    guard association.send(outgoing, stream: id.streamID, now: now) else {
      starved.insert(id.streamID)
      throw .bufferFull
    }
    let size = UInt64(truncatingIfNeeded: message.count)
    counts.messagesSent &+= 1
    counts.bytesSent &+= size
    channels[id.streamID]?.statistics.messagesSent &+= 1
    channels[id.streamID]?.statistics.bytesSent &+= size
  }

  /// Closes a channel once what waits on it is delivered, by resetting its stream (RFC 8831 section 6.7);
  /// ``DataChannelEvent/closed(_:)`` follows when the peer has done the same. Does nothing for a channel that is
  /// closing or gone.
  public mutating func close(_ id: DataChannelID, now: Instant) {
    guard let channel = channels[id.streamID], channel.id == id else { return }
    beginClosing(id.streamID, now: now)
    settle()
  }

  /// Ends the association once everything is delivered (RFC 9260 section 9.2): ``DataChannelEvent/failed(_:)`` with
  /// ``SCTPFailure/shutDown`` follows.
  public mutating func shutdown(now: Instant) {
    association.shutdown(now: now)
    settle()
  }

  /// The bytes of messages on this channel that have not been sent once; zero for a channel that is gone.
  public func bufferedAmount(_ id: DataChannelID) -> Int {
    guard channels[id.streamID]?.id == id else { return 0 }
    return association.sender.queue.queuedBytes(id.streamID)
  }

  /// The next SCTP packet to send through DTLS, of at most ``SCTPConfiguration/mtu`` bytes; nil when there is none now.
  public mutating func pollTransmit() -> [UInt8]? {
    let packet = association.pollTransmit()
    announceLow()
    return packet
  }

  /// The next event, nil when there is none left. Makes room for as much from the peer as the event held, so call
  /// ``pollTransmit()`` after it.
  public mutating func pollEvent() -> DataChannelEvent? {
    guard let (event, cost) = events.popFirst() else { return nil }
    if cost > 0 { association.release(cost) }
    if case .bufferedAmountLow(let id) = event { lowAnnounced.remove(id) }
    return event
  }

  /// When ``handleTimeout(now:)`` wants to be called; ``Basics/Instant/distantFuture`` when never.
  public var deadline: Instant { association.deadline }

  /// Lets time pass: call it at ``deadline`` or later, then take packets and events.
  public mutating func handleTimeout(now: Instant) {
    association.handleTimeout(now: now)
    settle()
  }

  /// Whether the association is up.
  public var isConnected: Bool { association.isUp }

  /// Counters of the whole transport.
  public var statistics: DataChannelStatistics {
    var all = counts
    all.messagesAbandoned = association.sender.abandonedCount
    all.retransmissions = association.sender.retransmissionCount
    all.packetsSent = association.packetsSent
    all.packetsReceived = association.packetsReceived
    all.congestionWindow = association.sender.congestion.window
    all.receiverWindow = association.sender.peerWindow
    all.smoothedRoundTripTime = association.sender.rto.smoothed
    all.unacknowledgedChunks = association.sender.outstanding.count
    all.drops.add(association.drops)
    return all
  }

  /// Counters of one channel; nil when it is gone.
  public func statistics(of id: DataChannelID) -> DataChannelCounts? {
    guard let channel = channels[id.streamID], channel.id == id else { return nil }
    return channel.statistics
  }
}

// MARK: - Events

extension DataChannelTransport {
  /// Queues an event for the application.
  mutating func announce(_ event: DataChannelEvent, cost: Int = 0) { events.append((event, cost)) }

  /// Turns events of the association into those of channels.
  private mutating func settle() {
    while let event = association.pollEvent() {
      if hasEnded { continue }
      handle(event)
    }
    announceLow()
  }

  mutating func noteEnd(_ failure: SCTPFailure) {
    hasEnded = true
    counts.dataChannelsClosed &+= UInt64(truncatingIfNeeded: channels.count)
    channels = [:]
    resetting = []
    starved = []
    announce(.failed(failure))
  }

  private mutating func announceLow() {
    for stream in association.sender.queue.takeLow() { announceLow(stream) }
    guard !starved.isEmpty, association.sender.heldBytes <= configuration.sendBuffer / 2 else { return }
    for stream in starved.sorted() { announceLow(stream) }
    starved = []
  }

  private mutating func announceLow(_ stream: UInt16) {
    guard let channel = channels[stream], !channel.isClosing, lowAnnounced.insert(channel.id).inserted else { return }
    announce(.bufferedAmountLow(channel.id))
  }

  // MARK: Streams

  /// A free stream of ours (RFC 8832 section 6: even for the DTLS client, odd for the server), or the one agreed on.
  private func chooseStream(_ negotiated: UInt16?) throws(DataChannelError) -> UInt16 {
    let limit = min(association.outboundStreams, association.inboundStreams)
    if let negotiated {
      guard negotiated < limit else { throw .idOutOfRange(negotiated) }
      guard channels[negotiated] == nil, !resetting.contains(negotiated) else { throw .idInUse(negotiated) }
      return negotiated
    }
    var stream: UInt16 = isClient ? 0 : 1
    while stream < limit {
      if channels[stream] == nil, !resetting.contains(stream) { return stream }
      stream &+= 2
      // Past the last number it would begin again.
      if stream < 2 { break }
    }
    throw .tooManyChannels
  }

  /// Whether the peer may open this stream.
  func isPeersStream(_ stream: UInt16) -> Bool { (stream % 2 == 0) != isClient }

  mutating func addChannel(_ stream: UInt16, _ options: DataChannelOptions, isAcknowledged: Bool) -> DataChannelID {
    let id = DataChannelID(streamID: stream, incarnation: nextIncarnation)
    nextIncarnation &+= 1
    channels[stream] = Channel(id: id, options: options, isAcknowledged: isAcknowledged)
    association.sender.queue.configure(
      stream, priority: options.priority, lowThreshold: options.bufferedAmountLowThreshold)
    counts.dataChannelsOpened &+= 1
    return id
  }

  /// Sends a message of DCEP: ordered and reliable (RFC 8832 section 6).
  mutating func sendControl(_ message: DCEPMessage, stream: UInt16, now: Instant) -> Bool {
    association.send(
      SCTPOutgoingMessage(
        payload: message.bytes, payloadProtocol: DataChannelPayload.control, isOrdered: true, isControl: true,
        maxRetransmits: nil,
        expiresAt: .distantFuture), stream: stream, now: now)
  }

  /// Stops taking messages and resets our half of the stream when everything is delivered.
  mutating func beginClosing(_ stream: UInt16, now: Instant) {
    guard channels[stream]?.isClosing == false else { return }
    channels[stream]?.isClosing = true
    starved.remove(stream)
    association.resetStreams([stream], now: now)
  }
}
