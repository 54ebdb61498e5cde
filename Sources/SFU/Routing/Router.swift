public import Basics
public import RTC

/// What a router has to say to whoever runs the meeting.
public enum RouterEvent: Sendable {
  /// The first packet of a publication came.
  case publicationStarted(PublicationID)
  /// Who speaks changed: loudest first, with a level of 0 to 1.
  case speakers([(participant: ParticipantID, level: Double)])
  /// A participant's connection is judged differently.
  case quality(ParticipantID, ConnectionQuality)
  /// Which layers of a video publication somebody wants changed: its sender should send more, or may send less.
  case layersWanted(PublicationID, LayersWanted)
  /// Slots that follow the loudest voices carry others now.
  case slots([SlotUpdate])
  /// All the video that is not sent to a participant for now changed: each comes back by itself.
  case paused(ParticipantID, [PausedPublication])
}

/// The routing of one meeting on one worker: who sends what, who receives what, and everything in between.
///
/// It does no I/O and reads no clock. Decrypted packets go in by ``receiveRTP(_:header:from:now:)`` and
/// ``receiveRTCP(_:from:now:)``; they wait until ``flush(now:batch:to:)`` writes each receiver's copies, all of one receiver
/// after the other, so that its keys and the output stay in the cache and what belongs together leaves together. Reports and
/// requests are written by ``handleTimeout(now:batch:to:)`` when ``deadline`` has come; ``pollEvent()`` gives the rest.
///
/// Not thread-safe: it lives on one worker. A forwarded packet allocates nothing.
public final class Router {
  /// What has been done so far.
  public internal(set) var counters = RouterCounters()
  /// The participants by number; nil where one has left.
  public private(set) var members: ContiguousArray<Member?> = []

  let clock: NTPClock
  var random: RouterRandom
  private var dirty: ContiguousArray<Publication> = []
  private var dirtyStreams: ContiguousArray<SourceStream> = []
  private var resending: ContiguousArray<Outlet> = []
  private var publicationsByID: [PublicationID: Publication] = [:]
  var speakers = ActiveSpeakers()
  var loudest: LoudestVoices
  /// The publication of each voice.
  var voiceOwners: ContiguousArray<Publication?> = []
  var relayState = RelayState()
  private var events: [RouterEvent] = []
  private var eventsRead = 0
  var deadlines = DeadlineHeap()
  private var waiting = 0
  /// Publications whose demand has not been settled.
  var unsettled: ContiguousArray<Publication> = []
  /// Memory for the numbers of one request and the blocks of one report.
  var lost = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 256)
  var blocks: [ReportBlock] = []
  /// Whether each receiver's targets follow what its path takes; false leaves them to ``setTarget(_:of:)``.
  public var dividesBandwidth = true
  /// Memory for one receiver's allocation.
  var allocating = AllocationMemory()
  /// The participant who speaks; -1 for nobody.
  private var activeSpeaker: Int?

  /// Events that nobody reads are dropped beyond this many.
  private static let maximumEvents = 1_024

  /// A router of an empty meeting.
  /// - Parameters:
  ///   - clock: Ties instants to wall-clock time, for reports.
  ///   - seed: Where random stream numbers come from; unpredictable in production.
  ///   - audioLoudest: How many voices the slots that follow the loudest carry, 1 to 8.
  public init(clock: NTPClock, seed: UInt64, audioLoudest: Int = 5) {
    self.clock = clock
    loudest = LoudestVoices(places: audioLoudest)
    random = RouterRandom(seed: seed)
    dirtyStreams.reserveCapacity(16)
    dirty.reserveCapacity(16)
    resending.reserveCapacity(16)
  }

  // MARK: Who is there

  /// Adds a participant.
  public func add(_ id: ParticipantID, now: Instant) -> Member {
    let index = members.firstIndex { $0 == nil } ?? members.count
    let member = Member(
      id: id, index: index, reporter: SSRC(rawValue: random.next32() | 1), clock: clock, now: now)
    if index == members.count { members.append(member) } else { members[index] = member }
    schedule(member)
    return member
  }

  /// Removes a participant with its publications and slots.
  public func remove(_ member: Member) {
    guard members.indices.contains(member.index), members[member.index] === member else { return }
    for publication in member.inlet.publications { unpublish(publication, of: member) }
    for subscription in member.outlet.subscriptions {
      cancelAwaiting(subscription)
      detach(subscription)
    }
    member.outlet.close()
    member.outlet.removeAll()
    member.inlet.removeAll()
    members[member.index] = nil
    deadlines.set(.distantFuture, for: member.index)
  }

  /// How many participants there are.
  public var memberCount: Int { members.count { $0 != nil } }

  // MARK: Publications and slots

  /// Adds what `member` sends in a negotiated media section (role `receive`).
  public func publish(
    _ id: PublicationID, media: NegotiatedMedia, isMuted: Bool, isScreenShare: Bool = false, by member: Member
  ) -> Publication {
    // Who came back here before another router is known to have lost them.
    if let before = publicationsByID[id] { end(before) }
    let publication = Publication(
      id: id, participant: member.index, media: media, isMuted: isMuted, isScreenShare: isScreenShare)
    enter(publication, speaker: member.index)
    member.inlet.add(publication)
    demandChanged(publication)
    return publication
  }

  /// Takes over a new negotiation of a publication's section.
  public func renegotiate(_ publication: Publication, media: NegotiatedMedia, by member: Member) {
    member.inlet.renegotiate(publication, media)
    announce(publication)
  }

  /// Ends a publication; slots that carried it are empty afterwards.
  public func unpublish(_ publication: Publication, of member: Member) {
    member.inlet.remove(publication)
    unpublish(publication)
  }

  func register(_ publication: Publication) { publicationsByID[publication.id] = publication }

  func unpublish(_ publication: Publication) {
    for subscription in publication.subscriptions { subscription.attach(nil) }
    publication.subscriptions.removeAll()
    discardPending(of: publication)
    removeVoice(of: publication)
    withdraw(publication)
    publication.streams.removeAll()
    unsettled.removeAll { $0 === publication }
    if publicationsByID[publication.id] === publication { publicationsByID[publication.id] = nil }
  }

  /// The publication of this id.
  public func publication(_ id: PublicationID) -> Publication? { publicationsByID[id] }

  /// Mutes or unmutes a publication. While it is muted nothing of it is forwarded.
  public func setMuted(_ muted: Bool, _ publication: Publication) {
    guard publication.isMuted != muted else { return }
    publication.isMuted = muted
    if muted {
      discardPending(of: publication)
      silenceVoice(of: publication)
    } else {
      for subscription in publication.subscriptions { subscription.interrupt() }
      keyframeWanted(of: publication)
    }
    announceMute(of: publication)
  }

  /// Adds a slot of `member` (a negotiated media section of role `send`); nil when the section has no source of ours.
  public func addSlot(_ media: NegotiatedMedia, of member: Member) -> Subscription? {
    guard let source = media.localSource else { return nil }
    let subscription = Subscription(media: media, source: source, outlet: member.outlet, random: &random)
    member.outlet.add(subscription)
    return subscription
  }

  /// Removes a slot.
  public func removeSlot(_ subscription: Subscription) {
    cancelAwaiting(subscription)
    detach(subscription)
    subscription.outlet.remove(subscription)
  }

  /// Lets a slot carry `publication`; false when the receiver can take none of its formats, or the kind differs.
  @discardableResult
  public func attach(_ publication: Publication, to subscription: Subscription) -> Bool {
    guard publication.media.kind == subscription.media.kind else { return false }
    cancelAwaiting(subscription)
    if subscription.publication === publication { return true }
    detach(subscription)
    subscription.attach(publication)
    guard subscription.isCompatible else {
      subscription.attach(nil)
      return false
    }
    publication.subscriptions.append(subscription)
    demandChanged(publication)
    allocateSoon(subscription)
    keyframeWanted(of: publication)
    return true
  }

  /// Empties a slot.
  public func detach(_ subscription: Subscription) {
    guard let publication = subscription.publication else { return }
    publication.subscriptions.removeAll { $0 === subscription }
    subscription.attach(nil)
    demandChanged(publication)
  }

  /// Stops or continues what a slot carries.
  public func setPaused(_ paused: Bool, _ subscription: Subscription) {
    subscription.setPaused(paused)
    wishChanged(subscription)
  }

  /// From now on packets to `member` leave encrypted by `sender`: its connection is up.
  public func open(_ member: Member, sender: SRTPSender) {
    member.outlet.open(sender)
    for subscription in member.outlet.subscriptions {
      subscription.interrupt()
      if let publication = subscription.publication { keyframeWanted(of: publication) }
    }
  }

  /// Nothing leaves to `member` until it is opened again: consent was lost or the connection ended.
  public func close(_ member: Member) { member.outlet.close() }

  // MARK: Packets in

  /// Packets that wait to be forwarded. Flush when it reaches 64, and at the end of each tick.
  public var pendingPackets: Int { waiting }

  /// Whether there is something to flush.
  public var needsFlush: Bool { waiting > 0 || !resending.isEmpty }

  /// Takes a decrypted RTP packet of `member`; `packet` is exactly the packet that `header` was read from.
  @inline(__always)
  public func receiveRTP(_ packet: Span<UInt8>, header: RTPHeader, from member: Member, now: Instant) {
    counters.packetsReceived &+= 1
    counters.bytesReceived &+= UInt64(truncatingIfNeeded: packet.count)
    switch member.inlet.receive(packet, header: header, now: now) {
    case .accepted(let publication, let stream): accepted(publication, stream, now)
    case .consumed: break
    case .dropped(let reason): counters[reason] &+= 1
    }
    schedule(member)
  }

  /// A packet, of a participant or from a relay, is in the store and the last one that waits.
  func accepted(_ publication: Publication, _ stream: SourceStream, _ now: Instant) {
    if publication.voice >= 0, publication.origin == nil, let slot = stream.pending.last {
      listen(to: publication, stream.store[Int(slot)], now: now)
    }
    if publication.isSimulcast, let slot = stream.pending.last {
      publication.noteArrival(stream, stream.store[Int(slot)])
    }
    if !publication.relays.isEmpty { relayNewest(of: stream, of: publication) }
    if !publication.hasStarted {
      publication.hasStarted = true
      emit(.publicationStarted(publication.id))
    }
    // What nobody here receives costs no walk over the receivers.
    if publication.subscriptions.isEmpty {
      stream.pending.removeLast()
      if publication.media.kind == .video, publication.settleLayers(now: now) { demandChanged(publication) }
      return
    }
    waiting &+= 1
    if stream.pending.count == 1 { dirtyStreams.append(stream) }
    if !publication.isListed {
      publication.isListed = true
      dirty.append(publication)
    }
  }

  /// Brings the member's place in the heap of deadlines up to date.
  @inline(__always)
  func schedule(_ member: Member) {
    let deadline = member.deadline
    guard deadline != member.scheduled else { return }
    member.scheduled = deadline
    deadlines.set(deadline, for: member.index)
  }

  /// Somebody wants a keyframe of `publication`: its sender is asked as soon as the throttle allows.
  func keyframeWanted(of publication: Publication) {
    if publication.origin != nil { return relayedKeyframeWanted(of: publication) }
    guard publication.media.kind == .video, members.indices.contains(publication.participant),
      let member = members[publication.participant]
    else { return }
    var due = Instant.distantFuture
    for stream in publication.streams { due = min(due, stream.keyframes.deadline) }
    guard due < member.inlet.keyframeDeadline else { return }
    member.inlet.keyframeDeadline = due
    schedule(member)
  }

  func outletHasResends(_ outlet: Outlet) {
    if resending.last !== outlet { resending.append(outlet) }
  }

  // MARK: Packets out

  /// Writes what waits for every receiver and gives it to `sink`.
  public func flush<Sink: PacketSink>(now: Instant, batch: OutputBatch, to sink: Sink) {
    if waiting > 0 { forwardPending(now, batch, sink) }
    if !resending.isEmpty {
      for outlet in resending {
        outlet.writeResends(batch: batch, now: now, to: sink, &counters)
        outlet.send(batch, to: sink)
      }
      resending.removeAll(keepingCapacity: true)
    }
  }

  private func forwardPending<Sink: PacketSink>(_ now: Instant, _ batch: OutputBatch, _ sink: Sink) {
    for stream in dirtyStreams where stream.kind == .video { stream.evenOut() }
    for publication in dirty where publication.media.kind == .video {
      if publication.settleLayers(now: now) { demandChanged(publication) }
    }
    if dirty.count == 1, let publication = dirty.first {
      for subscription in publication.subscriptions {
        let outlet = subscription.outlet
        outlet.forward(subscription, batch: batch, now: now, to: sink, &counters)
        outlet.send(batch, to: sink)
        if outlet.wantsReport { reportSoon(outlet, now) }
        if !outlet.bandwidth.queue.isEmpty { schedulePaced(outlet) }
      }
    } else {
      // Receiver by receiver, so that its packets of all publications leave together.
      for member in members {
        guard let outlet = member?.outlet, outlet.isOpen else { continue }
        for subscription in outlet.subscriptions {
          outlet.forward(subscription, batch: batch, now: now, to: sink, &counters)
        }
        outlet.send(batch, to: sink)
        if outlet.wantsReport { reportSoon(outlet, now) }
        if !outlet.bandwidth.queue.isEmpty { schedulePaced(outlet) }
      }
    }
    for stream in dirtyStreams { stream.pending.removeAll(keepingCapacity: true) }
    dirtyStreams.removeAll(keepingCapacity: true)
    for publication in dirty {
      publication.isListed = false
      // A receiver that starts now has asked for a keyframe.
      keyframeWanted(of: publication)
    }
    dirty.removeAll(keepingCapacity: true)
    waiting = 0
  }

  private func reportSoon(_ outlet: Outlet, _ now: Instant) {
    outlet.wantsReport = false
    guard members.indices.contains(outlet.participant), let member = members[outlet.participant] else { return }
    member.nextReport = min(member.nextReport, now + .milliseconds(50))
    schedule(member)
  }

  private func discardPending(of publication: Publication) {
    for stream in publication.streams where !stream.pending.isEmpty {
      waiting &-= stream.pending.count
      stream.pending.removeAll(keepingCapacity: true)
      dirtyStreams.removeAll { $0 === stream }
    }
    dirty.removeAll { $0 === publication }
    publication.isListed = false
  }

  // MARK: Time

  /// When ``handleTimeout(now:batch:to:)`` should be called.
  public var deadline: Instant {
    let earliest = min(min(deadlines.earliest, speakers.deadline), relayDeadline)
    return unsettled.isEmpty ? earliest : min(earliest, demandDeadline)
  }

  /// Writes the reports and requests that are due.
  public func handleTimeout<Sink: PacketSink>(now: Instant, batch: OutputBatch, to sink: Sink) {
    while let index = deadlines.popDue(now: now) {
      guard members.indices.contains(index), let member = members[index] else { continue }
      member.scheduled = .distantFuture
      writeReports(to: member, now: now, batch: batch, sink: sink)
      serveBandwidth(of: member, now: now, batch: batch, sink: sink)
      schedule(member)
    }
    if !unsettled.isEmpty { settleDemands(now: now) }
    serveRelays(now: now)
    if let heard = speakers.poll(now: now) {
      activeSpeaker = heard.first?.participant
      emit(
        .speakers(
          heard.compactMap { speaker in
            if let name = relayState.name(remote: speaker.participant) { return (name, speaker.level) }
            guard members.indices.contains(speaker.participant), let member = members[speaker.participant] else {
              return nil
            }
            return (member.id, speaker.level)
          }))
    }
  }

  /// Whether `publication` is of the one who speaks.
  func isOfActiveSpeaker(_ publication: Publication) -> Bool {
    activeSpeaker == publication.origin?.participant.number ?? publication.participant
  }

  /// The next thing that happened; nil when there is nothing new.
  public func pollEvent() -> RouterEvent? {
    guard eventsRead < events.count else {
      events.removeAll(keepingCapacity: true)
      eventsRead = 0
      return nil
    }
    eventsRead += 1
    return events[eventsRead - 1]
  }

  func emit(_ event: RouterEvent) {
    guard events.count < Self.maximumEvents else { return }
    events.append(event)
  }
}
