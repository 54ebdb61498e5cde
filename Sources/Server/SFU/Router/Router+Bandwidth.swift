import Basics
import RTC

extension Router {
  /// A raise must leave this share of the budget; less when a probe has just shown that there is more.
  private static let reserve = 0.12
  private static let provenReserve = 0.03
  /// A receiver's first layers of a publication that nothing is known of yet.
  private static let first = LayerIndex(spatial: 0, temporal: LayerIndex.highest.temporal)

  /// What is known of the path to `member` and what it is used for.
  public func bandwidth(of member: Member) -> BandwidthSnapshot { member.egress.bandwidthSnapshot }

  /// Pins what `subscription` carries, or no longer; it is over when the slot carries something else.
  public func setPinned(_ pinned: Bool, _ subscription: Subscription) {
    guard subscription.isPinned != pinned else { return }
    subscription.isPinned = pinned
    allocateSoon(subscription)
  }

  /// What matters about `subscription` to its receiver.
  func priority(of subscription: Subscription, _ publication: Publication) -> SubscriptionPriority {
    let kind: SubscriptionPriority.Kind =
      if publication.isScreenShare {
        .screenShare
      } else if subscription.isPinned {
        .pinned
      } else if isOfActiveSpeaker(publication) {
        .activeSpeaker
      } else {
        .tile
      }
    return SubscriptionPriority(kind, area: subscription.layering.shown?.area ?? 0)
  }

  /// What the receiver of `subscription` gets is to be divided anew: something was attached, or is wanted otherwise.
  func allocateSoon(_ subscription: Subscription) {
    let egress = subscription.egress
    guard dividesBandwidth, subscription.media.kind == .video else { return }
    egress.writer.bandwidth.activate(subscription.bandwidthFeedback)
    if egress.writer.bandwidth.feedback != .none, members.indices.contains(egress.participant),
      let member = members[egress.participant]
    {
      // What comes before the first division would be everything.
      if !subscription.hysteresis.hasChosen, !egress.writer.bandwidth.hasProbed {
        setTarget(Self.first, of: subscription)
      }
      schedule(member)
    }
  }

  /// Packets of `egress` wait for their turn.
  func schedulePaced(_ egress: Egress) {
    guard members.indices.contains(egress.participant), let member = members[egress.participant] else { return }
    schedule(member)
  }

  /// Does what is due for the path to `member`: packets that waited, probes, and the division of what it takes.
  func serveBandwidth<Sink: PacketSink>(of member: Member, now: Instant, batch: OutputBatch, sink: Sink) {
    let egress = member.egress
    guard egress.bandwidthDeadline <= now else { return }
    if egress.writer.bandwidth.nextTick <= now {
      egress.writer.bandwidth.tick(now: now)
      allocate(member, now: now)
      adaptRedundancy(of: egress, now: now)
    }
    let drops = counters.pacedDrops
    egress.writePaced(batch: batch, now: now, to: sink, &counters)
    if counters.pacedDrops != drops { egress.subscriptions.forEach { keyframeWanted(for: $0) } }
    egress.writeProbe(batch: batch, now: now, to: sink, &counters)
    egress.send(batch, to: sink)
  }

  /// A receiver's view of one slot.
  func receivedReport(_ block: ReportBlock, of subscription: Subscription, _ member: Member, _ now: Instant) {
    let highest = block.extendedHighestSequence
    if let before = subscription.reportedHighest, highest > before, highest &- before < 1 << 16 {
      let change = Int(block.cumulativeLost) - Int(subscription.reportedLost)
      let lost = max(change, 0)
      let expected = Int(highest &- before)
      member.egress.writer.bandwidth.receive(received: max(expected - lost, 0), lost: min(lost, expected), now: now)
      subscription.reportedLoss.add(expected: expected, lost: min(change, expected), subscription.stream)
    }
    subscription.reportedHighest = highest
    subscription.reportedLost = block.cumulativeLost
    if subscription.media.kind == .audio, member.egress.writer.bandwidth.feedback != .transportWide {
      subscription.redundancy.update(
        loss: Double(block.fractionLost) / 256, payloadType: subscription.redundantPayloadType, now: now)
    }
  }

  /// Feedback on each packet tells of lost sound sooner than reports do.
  private func adaptRedundancy(of egress: Egress, now: Instant) {
    guard egress.writer.bandwidth.feedback == .transportWide, egress.writer.bandwidth.isKnown else { return }
    // Only what the path loses by itself; what a full queue drops would become more.
    let loss = egress.writer.bandwidth.estimator.inherentLoss
    let room = egress.writer.bandwidth.isPacing ? egress.writer.bandwidth.estimator.target : .kilobits(1_000_000)
    for subscription in egress.subscriptions where subscription.media.kind == .audio && subscription.publication != nil
    {
      subscription.setOmitsRedundancy(
        RedundancyControl.omits(
          loss: loss, sound: egress.writer.bandwidth.audio.rate, room: room, isOmitted: subscription.omitsRedundancy))
      guard loss > RedundancyControl.lowLoss || subscription.redundancy.level > 0 else { continue }
      subscription.redundancy.update(loss: loss, payloadType: subscription.redundantPayloadType, now: now)
      subscription.redundancy.bound(
        to: egress.writer.bandwidth.audio.rate, of: egress.writer.bandwidth.estimator.target)
    }
  }

  /// A slot that lost packets which waited goes on with a keyframe.
  private func keyframeWanted(for subscription: Subscription) {
    guard subscription.state == .waiting, let publication = subscription.publication else { return }
    keyframeWanted(of: publication)
  }

  // MARK: Allocation

  /// Divides what the path to `member` takes over its video.
  private func allocate(_ member: Member, now: Instant) {
    let egress = member.egress
    // Taken out while in use, so that it is neither copied nor accessed twice.
    var memory = AllocationMemory()
    swap(&memory, &allocating)
    defer { swap(&memory, &allocating) }
    memory.requests.removeAll(keepingCapacity: true)
    memory.options.removeAll(keepingCapacity: true)
    memory.slots.removeAll(keepingCapacity: true)
    var hasVideo = false
    for (index, subscription) in egress.subscriptions.enumerated() where subscription.media.kind == .video {
      guard subscription.publication != nil else { continue }
      hasVideo = true
      request(subscription, index, &memory, now)
    }
    guard hasVideo else {
      tellPaused([], member)
      egress.writer.bandwidth.rest()
      return
    }
    var wanted = DataRate.zero
    for request in memory.requests {
      if let last = request.options.last { wanted.bitsPerSecond &+= memory.options[last].rate.bitsPerSecond }
    }
    guard let budget = egress.writer.bandwidth.budget(now: now) else {
      for slot in memory.slots { apply(.highest, to: egress.subscriptions[slot.slot], isRaise: false, now: now) }
      tellPaused([], member)
      egress.writer.bandwidth.setAllocated(wanted, wanted: wanted, paused: 0, isSatisfied: true, now: now)
      return
    }
    let everything = DataRate(
      bitsPerSecond: (wanted.bitsPerSecond &+ egress.writer.bandwidth.audio.rate.bitsPerSecond) * 11 / 10)
    let isProven = egress.writer.bandwidth.hasProven(everything, now: now)
    let isTried = egress.writer.bandwidth.isTried(now: now)
    let isOverfull = egress.writer.bandwidth.isOverfull(now: now)
    // Of a single picture nobody is served by giving it up sooner.
    let isLongQueued = memory.requests.count > 1 && egress.writer.bandwidth.isLongQueued
    for index in memory.requests.indices {
      let subscription = egress.subscriptions[slot(of: memory.requests[index], memory)]
      let hysteresis = subscription.hysteresis
      memory.requests[index].mayRaise =
        isTried && !egress.writer.bandwidth.isQueued && hysteresis.mayRaise(isProven: isProven, now: now)
        && (isProven || egress.writer.bandwidth.mayTryRaise(now: now))
      memory.requests[index].mayRefine = hysteresis.mayRefine(now: now)
      memory.requests[index].mayReturn = hysteresis.mayReturn(now: now)
      memory.requests[index].mayPause = isOverfull && hysteresis.mayPause(isQueued: isLongQueued, now: now)
    }
    let allocation = BitrateAllocation(
      budget: budget, reserve: isProven ? Self.provenReserve : Self.reserve,
      mayPause: egress.writer.bandwidth.mayPause(now: now),
      keepsFirst: egress.writer.bandwidth.feedback == .receiverEstimate)
    var total = allocation.allocate(&memory.requests, memory.options)
    if !memory.requests.contains(where: { isLarger($0, memory) }) {
      egress.writer.bandwidth.endRaise()
    } else if !isProven, !egress.writer.bandwidth.tryRaise(to: total, now: now) {
      for index in memory.requests.indices { memory.requests[index].mayRaise = false }
      total = allocation.allocate(&memory.requests, memory.options)
    }
    // A larger layer that appears takes about three times as much again.
    let hasRoom = isTried && budget.bitsPerSecond > total.bitsPerSecond * 4
    settle(member, memory, total, wanted, budget: budget, hasRoom: hasRoom, isOverfull: isOverfull, now)
  }

  /// Whether a larger picture is to be forwarded than now, or than the smallest.
  private func isLarger(_ request: BitrateAllocation.Request, _ memory: AllocationMemory) -> Bool {
    guard let result = request.result else { return false }
    let now = request.current ?? request.options.lowerBound
    return memory.options[result].index.spatial > memory.options[now].index.spatial
  }

  private func slot(of request: BitrateAllocation.Request, _ memory: AllocationMemory) -> Int {
    for slot in memory.slots where slot.options == request.options.lowerBound { return slot.slot }
    return 0
  }

  /// Notes what a subscription could be sent.
  private func request(_ subscription: Subscription, _ index: Int, _ memory: inout AllocationMemory, _ now: Instant) {
    guard let publication = subscription.publication, !subscription.isPaused, !subscription.isHidden,
      !publication.isMuted
    else { return }
    let start = memory.options.count
    let limit = subscription.limit
    for option in publication.layers(now: now) {
      // What nobody asked for is no option, except that the least there is always is.
      guard memory.options.count == start || limit.contains(option.index) else { continue }
      // A larger picture at a fraction of its frame rate is no gain, except for a screen.
      if option.index.spatial > 0, !publication.isScreenShare, let last = memory.options.last,
        memory.options.count > start, last.index.spatial == option.index.spatial
      {
        memory.options[memory.options.count - 1] = option
      } else {
        memory.options.append(option)
      }
    }
    guard memory.options.count > start else {
      // Nothing is known of it yet: it begins small.
      if !subscription.hysteresis.hasChosen { setTarget(Self.first, of: subscription) }
      return
    }
    var current: Int?
    if subscription.hysteresis.hasChosen, let target = subscription.target {
      // Its lowest temporal layer may just have sent nothing for a moment; that is no pause.
      current = start
      for place in start..<memory.options.count where memory.options[place].index <= target { current = place }
    }
    if let current {
      memory.options[current].rate = subscription.hysteresis.smoothed(memory.options[current])
    }
    memory.slots.append((start, index))
    memory.requests.append(
      BitrateAllocation.Request(
        priority: priority(of: subscription, publication), options: start..<memory.options.count, current: current))
  }

  /// Sets the targets, and tells what is paused.
  private func settle(
    _ member: Member, _ memory: AllocationMemory, _ total: DataRate, _ wanted: DataRate, budget: DataRate,
    hasRoom: Bool, isOverfull: Bool, _ now: Instant
  ) {
    let egress = member.egress
    var paused: [PausedPublication] = []
    var isSatisfied = true
    // Layers of several publications may come back at once: what one takes the others cannot have.
    var room = budget.bitsPerSecond &- total.bitsPerSecond
    for request in memory.requests {
      let subscription = egress.subscriptions[slot(of: request, memory)]
      guard let publication = subscription.publication else { continue }
      let isTop = request.result == request.options.last
      // Also what goes on although there seems to be too little for it: a probe tells before it must be paused.
      if !isTop || request.isShort { isSatisfied = false }
      // At the top no limit is set, so that a layer that appears is forwarded at once, but not on a path that may be
      // too narrow for it.
      let isOpen = isTop && (hasRoom || isLargest(memory.options[request.options.upperBound &- 1].index, publication))
      var target = request.result.map { isOpen ? LayerIndex.highest : memory.options[$0].index }
      if let result = request.result {
        let option = memory.options[result]
        if !isOverfull, request.current == result { subscription.hysteresis.noteCarried(option, now: now) }
        // The sender leaves out layers that the receiver doesn't want any more. Wanted again it is forwarded from its
        // first keyframe on, if there is room still.
        if isTop, !isOpen, let larger = subscription.hysteresis.carried(above: option.index, now: now),
          case let more = max(larger.rate.bitsPerSecond &- option.rate.bitsPerSecond, 0), more <= room
        {
          room &-= more
          target = LayerIndex(spatial: larger.index.spatial, temporal: LayerIndex.highest.temporal)
        }
      }
      let isRaise = (request.result ?? -1) > (request.current ?? -1)
      let isLower = (request.result ?? -1) < (request.current ?? -1)
      subscription.hysteresis.noteShortage(request.isShort && request.current != nil, now: now)
      if isLower, subscription.hysteresis.hasChosen { subscription.hysteresis.lowered(now: now) }
      if target == nil, isLower { subscription.hysteresis.paused(now: now) }
      apply(target, to: subscription, isRaise: isRaise, now: now)
      if target == nil { paused.append(PausedPublication(publication.id, reason: .bandwidth)) }
    }
    tellPaused(paused, member)
    egress.writer.bandwidth.setAllocated(
      total, wanted: wanted, paused: paused.count, isSatisfied: isSatisfied, now: now)
  }

  /// Whether no larger layer than `index` can appear: as a stream of its own, or again in a stream whose sender has
  /// left it out.
  private func isLargest(_ index: LayerIndex, _ publication: Publication) -> Bool {
    !(publication.isSimulcast || publication.isReduced) || index.spatial >= publication.topSpatial
  }

  private func tellPaused(_ paused: [PausedPublication], _ member: Member) {
    guard member.paused != paused else { return }
    member.paused = paused
    emit(.paused(member.id, paused))
  }

  private func apply(_ target: LayerIndex?, to subscription: Subscription, isRaise: Bool, now: Instant) {
    if isRaise, subscription.hysteresis.hasChosen { subscription.hysteresis.raised(now: now) }
    subscription.hysteresis.chose()
    setTarget(target, of: subscription)
  }
}

extension Subscription {
  /// The receiver's reports about its path.
  var bandwidthFeedback: SubscriberBandwidth.Feedback {
    if isNumbered, media.codecs.contains(where: { $0.feedback.contains(.transportWide) }) {
      return .transportWide
    }
    return media.codecs.contains { $0.feedback.contains(.remb) } ? .receiverEstimate : .none
  }

  /// The receiver's payload type for redundant audio; nil when it takes none.
  var redundantPayloadType: PayloadType? { media.codecs.first { $0.codec == .red }?.payloadType }
}

extension SubscriberBandwidth {
  /// The share of the wanted bit rate that is forwarded, 0 to 1.
  var shareForwarded: Double {
    guard isKnown, !isSatisfied, wanted.bitsPerSecond > 0 else { return 1 }
    return min(Double(allocated.bitsPerSecond) / Double(wanted.bitsPerSecond), 1)
  }
}
