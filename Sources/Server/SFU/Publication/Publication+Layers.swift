public import Basics
import RTC

extension Publication {
  /// The steps in which the publication can be forwarded, smallest first, of the layers that arrive: what each takes,
  /// measured over about a second, and how large its picture is. Empty for sound, and while nothing arrives.
  ///
  /// - Complexity: constant between two measurements (half a second); nothing is allocated once the list has had its
  ///   length.
  public func layers(now: Instant) -> ContiguousArray<LayerOption> {
    guard media.kind == .video else { return [] }
    var epoch: UInt32 = 1
    for stream in streams {
      epoch &+= stream.layers.meter.epoch
      if stream.layers.meter.isStale(now: now) || !stream.layers.isActive { epoch &+= 0x1_0000 }
    }
    if epoch != ladderEpoch {
      ladderEpoch = epoch
      measure(now)
    }
    return ladder
  }

  private func measure(_ now: Instant) {
    ladder.removeAll(keepingCapacity: true)
    for rank in UInt8(0)..<UInt8(clamping: max(layerNames.count, 1)) {
      guard let stream = streams.first(where: { $0.layers.rank == rank }), stream.layers.isActive,
        !stream.layers.meter.isStale(now: now)
      else { continue }
      for spatial in 0...Int(PacketLayers.maximum) {
        for temporal in 0...Int(PacketLayers.maximum)
        where stream.layers.meter.arrives(spatial: spatial, temporal: temporal) {
          let size = stream.layers.size(of: UInt8(spatial))
          var option = LayerOption(
            index: LayerIndex(spatial: isSimulcast ? rank : UInt8(spatial), temporal: UInt8(temporal)),
            rate: stream.layers.meter.rate(spatial: spatial, temporal: temporal, now: now), width: size.width,
            height: size.height)
          if stream.layers.meter.isYoung(now: now) {
            option.rate = max(option.rate, expectedRate(of: option, in: stream))
          }
          ladder.append(option)
        }
      }
    }
  }

  /// The least that a larger layer will take once its encoder has come to its rate, from its size, or from the next
  /// smaller layer. None for the smallest, which is forwarded anyway, for a screen, which may take next to nothing, and
  /// for layers of one stream that begin together.
  private func expectedRate(of option: LayerOption, in stream: SourceStream) -> DataRate {
    guard isSimulcast || stream.layers.hasGrown, !isScreenShare,
      let smaller = ladder.last(where: { $0.index.spatial < option.index.spatial })
    else {
      return .zero
    }
    let pixels = Int64(option.width) * Int64(option.height)
    if pixels > 0 { return DataRate(bitsPerSecond: pixels * 3 / 2) }
    return DataRate(bitsPerSecond: max(smaller.rate.bitsPerSecond, 120_000) * 5 / 2)
  }

  /// Whether its layers are streams of their own.
  var isSimulcast: Bool { layerNames.count > 1 }

  /// Whether pictures can be left out for one receiver and not for another.
  var hasTemporalLayers: Bool { streams.contains { $0.layers.top.temporal > 0 } }

  /// The best stream that arrives and is no larger than `spatial`; when all are larger, the smallest that arrives.
  func stream(for spatial: UInt8) -> SourceStream? {
    guard isSimulcast else { return streams.first }
    var best: SourceStream?
    for stream in streams where stream.layers.isActive {
      guard let known = best else {
        best = stream
        continue
      }
      let rank = stream.layers.rank
      if rank <= spatial {
        if known.layers.rank > spatial || rank > known.layers.rank { best = stream }
      } else if known.layers.rank > spatial, rank < known.layers.rank {
        best = stream
      }
    }
    return best
  }

  /// The highest spatial layer there may be, also while its sender leaves it out.
  var topSpatial: UInt8 {
    isSimulcast ? UInt8(clamping: layerNames.count - 1) : streams.first?.layers.largest ?? 0
  }

  /// Whether it is one stream whose sender leaves out spatial layers that it has had.
  var isReduced: Bool { !isSimulcast && streams.first.map { $0.layers.top.spatial < $0.layers.largest } ?? false }

  /// The picture size of a spatial layer; zeros while unknown.
  func size(of spatial: UInt8) -> (width: UInt16, height: UInt16) {
    guard isSimulcast else { return streams.first?.layers.size(of: spatial) ?? (0, 0) }
    guard let stream = streams.first(where: { $0.layers.rank == spatial }) else { return (0, 0) }
    return stream.layers.size(of: stream.layers.top.spatial)
  }

  /// Asks for a keyframe of each simulcast stream that arrives without one ever having come. Its size is known only
  /// from a keyframe, and until then a receiver that needs it wants all larger streams, too.
  func askSizes() {
    guard isSimulcast else { return }
    for stream in streams where lacksSize(stream) { stream.keyframes.request() }
  }

  private func lacksSize(_ stream: SourceStream) -> Bool {
    isSimulcast && stream.layers.isActive && stream.packets > 0 && !stream.hasKeyframe(after: -1)
  }

  // MARK: Changes

  /// A stream was added or replaced.
  func streamsChanged() {
    rankStreams()
    for subscription in subscriptions { subscription.sourceChanged() }
  }

  /// Notes a new packet of a simulcast stream, by which the others are judged.
  @inline(__always)
  func noteArrival(_ stream: SourceStream, _ packet: StoredPacket) {
    guard !packet.isRecovered, packet.payloadLength != 0 else { return }
    guard stream.layers.arrived(packet.timestamp.rawValue, now: packet.arrival) else { return }
    for other in streams where other !== stream { other.layers.otherArrived() }
  }

  /// Lets subscriptions hear of layers that came, went or changed their size; true when something did.
  func settleLayers(now: Instant) -> Bool {
    var hasChanged = false
    for stream in streams {
      if isSimulcast { stream.layers.checkActivity(now: now) }
      if stream.layers.hasChanged {
        stream.layers.hasChanged = false
        hasChanged = true
      }
    }
    guard hasChanged else { return false }
    ladderEpoch = 0
    rankStreams()
    for subscription in subscriptions { subscription.layersChanged(now: now) }
    return true
  }

  /// Orders simulcast streams by picture size. Browsers list them from the smallest to the largest or the other way
  /// round, so the offer's order counts only as far as the sizes do not say otherwise.
  private func rankStreams() {
    guard isSimulcast else { return }
    let count = layerNames.count
    var areas = ContiguousArray(repeating: 0, count: count)
    for stream in streams {
      guard let place = stream.layer.flatMap({ layerNames.firstIndex(of: $0) }) else { continue }
      let size = stream.layers.size(of: stream.layers.top.spatial)
      areas[place] = Int(size.width) &* Int(size.height)
    }
    let known = areas.indices.filter { areas[$0] > 0 }
    var isDescending = false
    if let first = known.first, let last = known.last { isDescending = areas[first] > areas[last] }
    for place in areas.indices {
      if known.count == count {
        ranks[place] = areas.indices.count { areas[$0] < areas[place] || areas[$0] == areas[place] && $0 < place }
      } else {
        ranks[place] = isDescending ? count - 1 - place : place
      }
    }
    for stream in streams {
      guard let place = stream.layer.flatMap({ layerNames.firstIndex(of: $0) }) else { continue }
      stream.layers.rank = UInt8(clamping: ranks[place])
    }
  }

  /// The rank of the simulcast stream that the offer names at `place`.
  func rank(ofPlace place: Int) -> Int { ranks.indices.contains(place) ? ranks[place] : place }

  /// Whether anybody gets, or waits for, `stream`, or chooses among streams and must know its size: only then is a
  /// keyframe of it worth asking for.
  func isWatched(_ stream: SourceStream) -> Bool {
    for subscription in subscriptions where !subscription.isStopped && subscription.egress.takesRequests {
      if subscription.stream === stream || subscription.layering.next === stream { return true }
      if subscription.layering.shown != nil, lacksSize(stream) { return true }
    }
    // A router behind a relay asks only for what somebody there gets or waits for.
    let rank = isSimulcast ? stream.layers.rank : 0
    return relays.contains { rank < $0.level.layers }
  }
}
