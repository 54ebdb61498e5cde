import Basics
import RTC

extension Router {
  /// The layer that a receiver gets of a publication without measurements.
  static let first = LayerIndex(spatial: 0, temporal: LayerIndex.highest.temporal)

  /// A snapshot of the bandwidth of the path to `member`.
  public func bandwidth(of member: Member) -> BandwidthSnapshot { member.egress.bandwidthSnapshot }

  /// Pins what `subscription` carries, or no longer; it is over when the slot carries something else.
  public func setPinned(_ pinned: Bool, _ subscription: Subscription) {
    guard subscription.isPinned != pinned else { return }
    subscription.isPinned = pinned
    allocateSoon(subscription)
  }

  /// The priority of `subscription` for its receiver.
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

  /// The bandwidth of `subscription`'s receiver is to be divided again: something was attached, or is wanted otherwise.
  func allocateSoon(_ subscription: Subscription) {
    let egress = subscription.egress
    guard dividesBandwidth, subscription.media.kind == .video else { return }
    egress.writer.bandwidth.activate(subscription.bandwidthFeedback)
    if egress.writer.bandwidth.feedback != .none, members.indices.contains(egress.participant),
      let member = members[egress.participant]
    {
      // Packets before the first division would be everything.
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

  /// A receiver's report on one slot.
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

  /// Feedback on each packet reports lost audio sooner than receiver reports do.
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
}

extension Subscription {
  /// The kind of feedback that the receiver gives about its path.
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
