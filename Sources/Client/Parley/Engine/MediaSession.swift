import Basics
import Media
import RTC

/// The media of one meeting: the connection, everything sent and everything received. A state machine without sockets
/// and clock, so that tests run it in virtual time; ``SocketSession`` gives it a socket. Used on one thread.
final class MediaSession {
  /// A slot with its m-section.
  private struct RecentSlot {
    let mid: MID
    let slot: any MediaSlot
  }

  /// Silence of the other side after which another path is looked for. Consent answers alone come every 4 to 6 seconds.
  static let patience = TimeSpan.seconds(8)
  /// How much longer than a check a repair may take, which waits for its turn in the server's pacer.
  static let repairDelay = TimeSpan.milliseconds(20)
  /// The time between two reports of arrivals. Each costs a system call here and one at the server. An estimator of
  /// delay needs no more than ten a second.
  static let feedbackInterval = TimeSpan.milliseconds(100)
  /// The same with few packets, none of which is missing. Two reports in a row may get lost before the server takes
  /// half a second of silence for a fault.
  static let longestFeedbackInterval = TimeSpan.milliseconds(160)

  // First what each packet needs, together: with hundreds of sessions it comes from memory, not from a cache.

  let peer: PeerConnection
  let output: any PacketOutput
  /// Nil in a meeting that is not encrypted.
  let encryption: FrameEncryption?
  /// The objects that have work to do. Everything at first, and whatever the session is asked for; packets of media
  /// touch only what they are for.
  var due = SessionWork.all
  var isInterrupted = false
  private var hasMedia = false
  private var isClosed = false
  var lastReceived: Instant?
  /// The slots of the last packets, so that most packets need no look-up.
  private var recentSlot: RecentSlot?
  private var formerSlot: RecentSlot?
  /// Slots that took packets since the last ``flush(now:)``.
  private var filledSlots: [any MediaSlot] = []
  /// The deadlines of what was not touched since: to ask for them would copy what they belong to.
  private var peerDeadline = Instant.zero
  private var senderDeadline = Instant.zero
  private var slotDeadline = Instant.zero
  var nextPlayout = Instant.distantFuture
  var nextLipSync = Instant.distantFuture
  /// When the keys have something to do.
  var keyDeadline = Instant.distantFuture
  var replays: [MID: EncodedReplay] = [:]
  var dataChannels = SessionDataChannels()
  var receiver: MediaReceiver
  var counts = TransportStatistics()

  var sender: MediaSender
  var slots: [MID: any MediaSlot] = [:]
  var publishers: [MID: any Publisher] = [:]
  var mixSink: (any AudioSink)?
  var mixer = AudioMixer<MID>()
  var lipSync: [String: LipSync] = [:]
  var times = SessionTimes()

  let events: AsyncStream<SessionEvent>.Continuation
  var sockets: [PeerConnectionConfiguration.Socket]
  let reporter: SSRC
  var slotCounts: [MediaKind: Int] = [:]
  /// The codecs that slots can carry.
  let slotCodecs: [Codec]
  /// The layers that the server asks for, by own track.
  var sendCodecs: [MID: Codec] = [:]
  var roundTripTime: TimeSpan?
  var scratch = [UInt8](repeating: 0, count: 2_048)
  /// For packets that need something around them.
  private var wrapped = [UInt8](repeating: 0, count: 2_200)

  init(
    _ configuration: SessionConfiguration, dtls: DTLSContext, sockets: [PeerConnectionConfiguration.Socket],
    events: AsyncStream<SessionEvent>.Continuation,
    output: any PacketOutput, random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    var random = random
    reporter = SSRC(rawValue: UInt32.random(in: 1...UInt32.max, using: &random))
    peer = PeerConnection(
      .client,
      configuration: PeerConnectionConfiguration(
        dtls: dtls, sockets: sockets, iceServers: configuration.iceServers,
        iceTransportPolicy: configuration.usesOnlyRelays ? .relay : .all, codecs: configuration.codecs),
      random: random)
    sender = MediaSender(random: random)
    var receiving = MediaReceiverConfiguration()
    receiving.transportFeedbackInterval = Self.feedbackInterval
    receiving.longestTransportFeedbackInterval = Self.longestFeedbackInterval
    receiver = MediaReceiver(configuration: receiving)
    encryption = configuration.keys.map { FrameEncryption($0) }
    slotCodecs = configuration.slotCodecs
    self.events = events
    self.output = output
    self.sockets = sockets
    ensureSlots(audio: configuration.audioSlots, video: configuration.videoSlots)
    _ = peer.addDataChannels()
  }

  func send(_ packet: Span<UInt8>, _ route: IceRoute) {
    guard route.encapsulation != .none else {
      countSent(packet.count)
      return output.send(media: packet, over: route)
    }
    wrapped.withUnsafeMutableBufferPointer { bytes in
      var buffer = bytes.mutableSpan
      guard let length = route.encapsulate(packet, into: &buffer) else { return }
      countSent(length)
      output.send(media: buffer.span.extracting(0..<length), over: route)
    }
  }

  private func countSent(_ bytes: Int) {
    counts.packetsSent &+= 1
    counts.bytesSent &+= UInt64(bytes)
  }

  // MARK: Datagrams and time

  /// Takes one datagram. Call ``flush(now:)`` after a batch of them.
  func receive(_ datagram: inout MutableSpan<UInt8>, path: IcePath, now: Instant) {
    counts.packetsReceived &+= 1
    counts.bytesReceived &+= UInt64(datagram.count)
    switch peer.receive(&datagram, path: path, now: now) {
    case .rtp(let header, _):
      noteReceived(now)
      receiver.receive(header, &datagram, now: now) { packet, payload, descriptor in
        deliver(packet, payload, descriptor, now)
      }
    case .rtcp(let length):
      noteReceived(now)
      takeReports(datagram.span.extracting(0..<length), now)
    case .handled:
      due.insert(.connection)
      noteReceived(now)
      noteRoundTrip()
    case .dropped: due.insert(.connection)
    }
  }

  /// Has the next ``flush(now:)`` look at everything: to be called after anything but datagrams and time.
  func markAllDue() { due = .all }

  /// Whether the connection itself may have something to say.
  var isConnectionDue: Bool { due.contains(.connection) }

  /// How far away the server is says how long repairs take: when to ask for them again, and how long to wait.
  private func noteRoundTrip() {
    guard let time = peer.currentRoundTripTime, time != roundTripTime else { return }
    roundTripTime = time
    receiver.roundTripTime = time + Self.repairDelay
    due.insert(.slots)
    for slot in slots.values { (slot as? VideoSlot)?.setRoundTripTime(time) }
  }

  /// The next packet of the other side is reported as ``SessionEvent/restored``.
  func expectSignOfLife() { isInterrupted = true }

  func noteReceived(_ now: Instant) {
    lastReceived = now
    if isInterrupted && peer.selectedPath != nil {
      isInterrupted = false
      events.yield(.restored)
    }
  }

  private func deliver(_ packet: ReceivedPacket, _ payload: Span<UInt8>, _ descriptor: Span<UInt8>?, _ now: Instant) {
    if !hasMedia {
      hasMedia = true
      events.yield(.firstPacket(now))
    }
    guard let slot = slot(packet.mid) else { return }
    slot.insert(packet, payload, descriptor, now)
    if !slot.isFilled {
      slot.isFilled = true
      filledSlots.append(slot)
    }
  }

  /// The slot of a packet.
  private func slot(_ mid: MID) -> (any MediaSlot)? {
    if let recentSlot, recentSlot.mid == mid { return recentSlot.slot }
    if let formerSlot, formerSlot.mid == mid { return formerSlot.slot }
    guard let slot = slots[mid] else { return nil }
    formerSlot = recentSlot
    recentSlot = RecentSlot(mid: mid, slot: slot)
    return slot
  }

  /// When ``handleTimeout(now:)`` wants to be called. To be asked for after ``flush(now:)``.
  var deadline: Instant {
    var next = min(
      min(min(peerDeadline, dataChannels.nextOpening), min(senderDeadline, slotDeadline)),
      min(receiver.deadline, min(nextPlayout, nextLipSync)))
    for replay in replays.values { next = min(next, replay.deadline) }
    next = min(next, keyDeadline)
    if peer.isConnected, !isInterrupted, let lastReceived { next = min(next, lastReceived + Self.patience) }
    return next
  }

  /// Lets time pass. Call ``flush(now:)`` afterwards.
  func handleTimeout(now: Instant) {
    if peerDeadline <= now {
      due.insert(.connection)
      peer.handleTimeout(now: now)
    }
    if senderDeadline <= now {
      due.insert(.sender)
      sender.handleTimeout(now: now)
    }
    if slotDeadline <= now { due.insert(.slots) }
    if nextPlayout <= now { playOut(now) }
    if keyDeadline <= now { encryption?.isUnsettled = true }
    if dataChannels.nextOpening <= now {
      due.insert(.connection)
      openDataChannels(now: now)
    }
    if nextLipSync <= now {
      due.insert(.slots)
      synchronize(now)
    }
    for mid in replays.keys {
      while let frame = replays[mid]?.next(now: now) { send(frame, mid: mid, rid: nil, now: now) }
    }
    if peer.isConnected, !isInterrupted, let lastReceived, now - lastReceived >= Self.patience {
      isInterrupted = true
      events.yield(.interrupted)
    }
  }

  /// Sends everything that is due, and reports events.
  func flush(now: Instant) {
    guard !isClosed else { return }
    pollSlots(now)
    if let encryption, encryption.isUnsettled { settleKeys(encryption, now: now) }
    if due.contains(.connection) {
      takePeerEvents(now)
      sendControl()
    }
    if due.contains(.sender) {
      while let event = sender.pollEvent() { take(event) }
    }
    if due.contains(.sender) || receiver.deadline <= now, let route = peer.selectedRoute, let srtp = peer.srtpSender {
      if due.contains(.sender) { sender.transmit(now: now, to: srtp) { packet in send(packet, route) } }
      sendReports(now, srtp, route)
    }
    if due.contains(.connection) { peerDeadline = peer.deadline }
    if due.contains(.sender) { senderDeadline = sender.deadline }
    due = []
  }

  /// Gives out what the slots have; those that took nothing wait for their deadline.
  private func pollSlots(_ now: Instant) {
    if due.contains(.slots) {
      slotDeadline = .distantFuture
      for slot in slots.values { poll(slot, now) }
    } else {
      for slot in filledSlots { poll(slot, now) }
    }
    for slot in filledSlots { slot.isFilled = false }
    filledSlots.removeAll(keepingCapacity: true)
  }

  private func poll(_ slot: any MediaSlot, _ now: Instant) {
    if slot.poll(now: now) { receiver.requestKeyframe(slot.mid, now: now) }
    slotDeadline = min(slotDeadline, slot.deadline)
  }

  private func sendControl() {
    while let datagram = peer.pollTransmit() {
      let bytes = datagram.bytes
      countSent(bytes.count)
      output.send(control: bytes.span, over: datagram.path)
    }
  }

  /// Ends the connection, and notifies the other side.
  func close() {
    guard !isClosed else { return }
    peer.close()
    sendControl()
    isClosed = true
    for publisher in publishers.values { publisher.attach(nil) }
    publishers = [:]
    slots = [:]
    recentSlot = nil
    formerSlot = nil
    events.finish()
  }
}
