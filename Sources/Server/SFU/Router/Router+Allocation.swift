import Basics
import RTC

/// The division of a receiver's bandwidth over its video.
extension Router {
  /// A raise must leave this share of the budget; less when a probe has just shown that there is more.
  private static let reserve = 0.12
  private static let provenReserve = 0.03

  /// Divides what the path to `member` takes over its video.
  func allocate(_ member: Member, now: Instant) {
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
    let isFirstProbeOver = egress.writer.bandwidth.isFirstProbeOver(now: now)
    let isOverfull = egress.writer.bandwidth.isOverfull(now: now)
    // Of a single picture nobody is served by giving it up sooner.
    let isLongQueued = memory.requests.count > 1 && egress.writer.bandwidth.isLongQueued
    for index in memory.requests.indices {
      let subscription = egress.subscriptions[slot(of: memory.requests[index], memory)]
      let hysteresis = subscription.hysteresis
      memory.requests[index].mayRaise =
        isFirstProbeOver && !egress.writer.bandwidth.isQueued && hysteresis.mayRaise(isProven: isProven, now: now)
        && (isProven || egress.writer.bandwidth.mayProbeUpgrade(now: now))
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
      egress.writer.bandwidth.endUpgradeProbe()
    } else if !isProven, !egress.writer.bandwidth.probeUpgrade(to: total, now: now) {
      for index in memory.requests.indices { memory.requests[index].mayRaise = false }
      total = allocation.allocate(&memory.requests, memory.options)
    }
    // A larger layer that appears takes about three times as much again.
    let hasRoom = isFirstProbeOver && budget.bitsPerSecond > total.bitsPerSecond * 4
    settle(member, memory, total, wanted, budget: budget, hasRoom: hasRoom, isOverfull: isOverfull, now)
  }

  /// Whether a larger size is to be forwarded than now, or than the smallest.
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
      // A layer that nobody asked for isn't an option, except the lowest, which always is.
      guard memory.options.count == start || limit.contains(option.index) else { continue }
      // A larger size at a fraction of its frame rate isn't worth it, except for a screen.
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
      // Its lowest temporal layer may just have sent nothing for a moment, which isn't a pause.
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

  /// Sets the targets, and reports the paused publications.
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
      // Also a layer that goes on although there seems to be too little for it: a probe measures before it must be
      // paused.
      if !isTop || request.isShort { isSatisfied = false }
      // At the top no limit is set, so that a layer that appears is forwarded at once, but not on a path that may be
      // too narrow for it.
      let isOpen = isTop && (hasRoom || isLargest(memory.options[request.options.upperBound &- 1].index, publication))
      var target = request.result.map { isOpen ? LayerIndex.highest : memory.options[$0].index }
      if let result = request.result {
        let option = memory.options[result]
        if !isOverfull, request.current == result { subscription.hysteresis.noteCarried(option, now: now) }
        // A layer that the receiver doesn't want any more is left out by its sender. Wanted again it is forwarded from
        // its first keyframe on, if there is room still.
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
