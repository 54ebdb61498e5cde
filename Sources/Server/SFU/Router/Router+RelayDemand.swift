public import Basics
import RTC

/// Requests of receivers for publications of other routers, and of other routers for those here.
extension Router {
  // MARK: Requests of others

  func subscribe(_ relay: Relay, to number: UInt32, _ record: Span<UInt8>) {
    var reader = RelayReader(at: RelayRecord.headerLength)
    guard let publication = relayState.publication(number), isPassedOn(publication, to: relay),
      let width = reader.number(record, UInt16.self), let height = reader.number(record, UInt16.self),
      let frameRate = reader.number(record, UInt16.self)
    else { return }
    let level = LayerDemand.Level(
      layers: UInt8(clamping: RelayBytes.uint16(record, at: 2)), width: width, height: height, frameRate: frameRate)
    if let index = publication.relays.firstIndex(where: { $0.relay === relay }) {
      publication.relays[index].level = level
    } else {
      publication.relays.append(RelayTarget(relay: relay, level: level))
      // The receivers there need the clocks before the next report, for lip-sync.
      if let offset = clockOffset(of: publication) {
        for stream in publication.streams { relayReport(of: stream, of: publication, offset: offset) }
      }
      publication.stream(for: level.layers &- 1)?.keyframes.request(urgent: true)
    }
    demandChanged(publication)
    keyframeWanted(of: publication)
  }

  func requestKeyframe(of publication: Publication, layer: UInt16) {
    // The requester has been held back already where that was due.
    if Int(layer) < publication.layerNames.count {
      publication.stream(of: publication.layerNames[Int(layer)])?.keyframes.request(urgent: true)
    } else {
      publication.streams.first?.keyframes.request(urgent: true)
    }
    keyframeWanted(of: publication)
  }

  // MARK: Requests of this router

  /// Who receives `publication` here changed: asks the other end for it, or no longer.
  func relayDemandChanged(_ publication: Publication) {
    guard let origin = publication.origin else { return }
    let isWanted = !publication.subscriptions.isEmpty || !publication.relays.isEmpty
    guard isWanted != origin.isWanted else { return }
    origin.isWanted = isWanted
    // Everything at first; a moment later what turned out to be enough.
    publication.demand = LayerDemand()
    if isWanted {
      subscribe(to: publication, .all)
    } else {
      origin.toldLoss = 0
      origin.relay.send(.unsubscribe, publication: origin.number)
    }
  }

  /// Tells the router that `publication` comes from what receivers here want of it.
  func subscribe(to publication: Publication, _ level: LayerDemand.Level) {
    guard let origin = publication.origin, origin.isWanted else { return }
    origin.relay.send(.subscribe, value: UInt16(level.layers), publication: origin.number) { bytes in
      RelayBytes.append(level.width, to: &bytes)
      RelayBytes.append(level.height, to: &bytes)
      RelayBytes.append(level.frameRate, to: &bytes)
    }
  }

  /// Somebody here wants a keyframe of what comes over a relay; it is asked for when the throttle allows.
  func relayedKeyframeWanted(of publication: Publication) {
    guard !publication.isMuted else { return }
    for stream in publication.streams {
      relayState.keyframeDeadline = min(relayState.keyframeDeadline, stream.keyframes.deadline)
    }
  }

  private func requestRelayedKeyframes(_ now: Instant) {
    var next = Instant.distantFuture
    for relay in relayState.relays {
      for publication in relay.incoming {
        guard let publication, let origin = publication.origin, publication.media.kind == .video, !publication.isMuted
        else { continue }
        for stream in publication.streams {
          // Who asked may have left, or stopped watching.
          if stream.keyframes.deadline <= now, !publication.isWatched(stream) { stream.keyframes.withdraw() }
          if stream.keyframes.take(now: now) {
            relay.send(.keyframe, value: layerIndex(of: stream, publication), publication: origin.number)
          }
          next = min(next, stream.keyframes.deadline)
        }
      }
    }
    relayState.keyframeDeadline = next
  }

  // MARK: Losses

  /// A receiver here says what it loses of what comes over a relay: only who speaks can be ready for it.
  func heardLoss(of subscription: Subscription, now: Instant) {
    guard subscription.fractionLost > 0, subscription.media.kind == .audio,
      subscription.publication?.origin != nil
    else { return }
    relayState.lossDeadline = min(relayState.lossDeadline, now + RelayState.lossInterval)
  }

  /// Another router's receivers lose so much of `publication`.
  func receiveLoss(_ loss: UInt8, of publication: Publication, from relay: Relay, now: Instant) {
    guard let index = publication.relays.firstIndex(where: { $0.relay === relay }) else { return }
    publication.relays[index].loss = loss
    // The speaker may be further away still.
    if publication.origin != nil { relayState.lossDeadline = min(relayState.lossDeadline, now) }
  }

  /// Tells the other routers what receivers here lose of their voices; again as long as they lose anything.
  private func sendLosses(_ now: Instant) {
    relayState.lossDeadline = .distantFuture
    for relay in relayState.relays {
      for publication in relay.incoming {
        guard let publication, let origin = publication.origin, origin.isWanted, publication.media.kind == .audio
        else { continue }
        let loss = publication.lossToBeReadyFor
        if loss != origin.toldLoss {
          origin.toldLoss = loss
          relay.send(.loss, value: UInt16(loss), publication: origin.number)
        }
        if loss > 0 { relayState.lossDeadline = now + RelayState.lossInterval }
      }
    }
  }

  // MARK: Slots that wait

  /// Lets `subscription` carry the publication `id` as soon as it is published here or on another router; false when
  /// there is no other.
  public func attachWhenAnnounced(_ id: PublicationID, to subscription: Subscription) -> Bool {
    detach(subscription)
    guard !relayState.relays.isEmpty else { return false }
    return awaitPublication(id, subscription)
  }

  @discardableResult
  func awaitPublication(_ id: PublicationID, _ subscription: Subscription) -> Bool {
    cancelAwaiting(subscription)
    guard !subscription.followsLoudest, relayState.awaitingCount < RelayState.maximumAwaiting else { return false }
    subscription.awaited = id
    relayState.awaiting[id, default: []].append(subscription)
    relayState.awaitingCount += 1
    return true
  }

  func attachAwaiting(_ publication: Publication) {
    guard let slots = relayState.awaiting.removeValue(forKey: publication.id) else { return }
    relayState.awaitingCount -= slots.count
    for slot in slots {
      slot.awaited = nil
      if slot.publication == nil { attach(publication, to: slot) }
    }
  }

  /// The slot is to carry something else than it waits for.
  func cancelAwaiting(_ subscription: Subscription) {
    guard let id = subscription.awaited else { return }
    subscription.awaited = nil
    guard let slots = relayState.awaiting[id] else { return }
    let left = slots.filter { $0 !== subscription }
    relayState.awaitingCount -= slots.count - left.count
    relayState.awaiting[id] = left.isEmpty ? nil : ContiguousArray(left)
  }

  // MARK: Time

  /// When ``serveRelays(now:)`` has something to do.
  var relayDeadline: Instant {
    min(
      min(relayState.keyframeDeadline, relayState.voiceDeadline),
      min(relayState.lossDeadline, relayState.backlogDeadline))
  }

  /// Sends what is due over relays.
  func serveRelays(now: Instant) {
    if relayState.keyframeDeadline <= now { requestRelayedKeyframes(now) }
    if relayState.voiceDeadline <= now { sendVoices(now) }
    if relayState.lossDeadline <= now { sendLosses(now) }
    if relayState.backlogDeadline <= now { writeBacklog(now) }
  }
}
