public import Basics
import RTC

extension Router {
  /// The receiver shows what `subscription` carries at this size: it gets the smallest layer that fills it within a
  /// tenth, and no more pictures a second than are of use, as far as its temporal layers let that be chosen.
  ///
  /// - Parameters:
  ///   - width: In pixels of its screen; 0 for hidden, in which case nothing is forwarded and no keyframe asked for.
  ///   - height: Likewise.
  ///   - frameRate: The most pictures a second that are of use; 0 for all there are.
  public func setWanted(width: Int, height: Int, frameRate: Int = 0, _ subscription: Subscription, now: Instant) {
    subscription.layering.shown = ShownSize(width: width, height: height, frameRate: frameRate)
    subscription.updateLimit(now: now)
    subscription.updateStopped()
    subscription.reconsider()
    wishChanged(subscription)
  }

  /// Sets what the receiver's bandwidth allows for `subscription`; nil pauses it for lack of bandwidth. It goes on by
  /// itself when it is set again.
  public func setTarget(_ target: LayerIndex?, of subscription: Subscription) {
    guard subscription.layering.target != target else { return }
    subscription.layering.target = target
    subscription.updateStopped()
    subscription.reconsider()
    if let publication = subscription.publication { keyframeWanted(of: publication) }
  }

  /// A receiver wants more or less of what it is given.
  func wishChanged(_ subscription: Subscription) {
    guard let publication = subscription.publication else { return }
    demandChanged(publication)
    keyframeWanted(of: publication)
  }

  // MARK: Reports to publishers

  /// What the receivers of `publication` want may be another thing now.
  func demandChanged(_ publication: Publication) {
    relayDemandChanged(publication)
    guard publication.media.kind == .video else { return }
    publication.demand.isStale = true
    if !unsettled.contains(where: { $0 === publication }) { unsettled.append(publication) }
  }

  /// When a publisher is to be told that less is enough.
  var demandDeadline: Instant {
    var earliest = Instant.distantFuture
    for publication in unsettled {
      if publication.demand.isStale { return .zero }
      earliest = min(earliest, publication.demand.deadline)
    }
    return earliest
  }

  /// Reports changed demand to publishers.
  func settleDemands(now: Instant) {
    var kept = 0
    for index in unsettled.indices {
      let publication = unsettled[index]
      if publication.demand.isStale || publication.demand.deadline <= now {
        var level = LayerDemand.Level()
        var inUse = LayerDemand.Level()
        for subscription in publication.subscriptions {
          level = level.joined(subscription.demand)
          inUse = inUse.joined(subscription.inUse)
        }
        for target in publication.relays { level = level.joined(target.level) }
        if let told = publication.demand.settle(level, inUse: inUse, now: now) {
          if publication.origin == nil {
            emit(.layersWanted(publication.id, publication.wish(told)))
          } else {
            subscribe(to: publication, told)
          }
        }
      }
      guard publication.demand.deadline != .distantFuture else { continue }
      unsettled.swapAt(kept, index)
      kept += 1
    }
    unsettled.removeLast(unsettled.count - kept)
  }
}

extension Publication {
  /// A level as its sender is told.
  fileprivate func wish(_ level: LayerDemand.Level) -> LayersWanted {
    guard level.layers > 0 else { return LayersWanted(spatial: nil) }
    let isAll = level.layers > topSpatial
    var names: [(rank: Int, rid: RID)] = []
    if isSimulcast {
      for (place, rid) in media.rids.prefix(layerNames.count).enumerated() {
        let rank = rank(ofPlace: place)
        if rank < Int(level.layers) { names.append((rank, rid)) }
      }
      names.sort { $0.rank < $1.rank }
    }
    var wish = LayersWanted(
      spatial: isAll ? 7 : level.layers - 1, streams: names.map(\.rid), width: level.width, height: level.height)
    wish.frameRate = level.frameRate
    if !isSimulcast, !isAll, streams.first?.layers.keepsSizes == true { wish.layerCount = topSpatial + 1 }
    return wish
  }
}
