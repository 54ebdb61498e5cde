import Basics
import RTC

extension Subscription {
  /// The highest layer that the receiver wants, by the size at which it shows the video, and can decode.
  public var limit: LayerIndex {
    var limit = layering.limit
    // Without descriptors it takes frames of two sizes for two pictures of one time, and stands: it gets the smallest
    // alone.
    if !takesDescriptors, publication?.streams.first?.layers.needsDescriptor == true {
      limit.spatial = 0
    }
    return limit
  }

  /// The layer that the receiver's bandwidth allows; nil: paused for lack of it. Set it with
  /// ``Router/setTarget(_:of:)``.
  public var target: LayerIndex? { layering.target }

  /// Whether the receiver shows the video nowhere.
  public var isHidden: Bool { layering.shown?.isHidden ?? false }

  /// The layer that is forwarded now; nil while nothing is.
  public var current: LayerIndex? {
    guard state == .running, !isStopped, let stream, let publication else { return nil }
    var layer = layering.selector.current(of: stream)
    if publication.isSimulcast { layer.spatial = stream.layers.rank }
    return layer
  }

  /// The layer to forward: the lower of the wanted one and the one that the bandwidth allows.
  var wanted: LayerIndex {
    let limit = limit
    let target = layering.target ?? .lowest
    return LayerIndex(
      spatial: min(limit.spatial, target.spatial), temporal: min(limit.temporal, target.temporal))
  }

  /// Asks for a keyframe of what is forwarded, and of what it waits for.
  func requestKeyframe(urgent: Bool = false) {
    guard media.kind == .video, !isStopped, egress.takesRequests else { return }
    stream?.keyframes.request(urgent: urgent)
    layering.next?.keyframes.request(urgent: urgent)
  }

  // MARK: Choosing

  /// Something that decides about layers changed: aims at what is to be forwarded now.
  func reconsider() {
    guard let publication else { return }
    let best = publication.stream(for: media.kind == .video ? wanted.spatial : 0)
    if let stream, !publication.streams.contains(where: { $0 === stream }) {
      // The source started over under another SSRC; nothing more comes from the old one.
      leave(stream)
    }
    if let best, best !== stream {
      if state == .running {
        if layering.next !== best {
          layering.next = best
          // A stream that its sender stopped comes back with a keyframe, which may be at hand.
          if !isStopped, egress.isOpen, switchPoint(in: best) == nil { best.keyframes.request(urgent: true) }
        }
      } else {
        if let stream { leave(stream) }
        stream = best
        layering.next = nil
        requestKeyframe(urgent: true)
      }
    } else {
      layering.next = nil
    }
    guard media.kind == .video, let stream else { return }
    // The selector is changed in a copy, and so is the state around it where it lets go of a stream: what is changed in
    // place while other code runs is checked for exclusive access by who reads it, for each packet.
    var selector = layering.selector
    selector.want(publication.isSimulcast ? LayerIndex(spatial: 7, temporal: wanted.temporal) : wanted, of: stream)
    layering.selector = selector
    // The keyframe may be there already: it is what brought the layers that this is about.
    if state == .running, layering.selector.awaitsKeyframe(of: stream), switchPoint(in: stream) == nil {
      requestKeyframe(urgent: true)
    }
  }

  /// Lets go of the stream that was forwarded; what it sent can still be sent again.
  private func leave(_ old: SourceStream) {
    if rewriter.isRunning {
      var layers = layering
      layers.previous = old
      layers.previousSerial = rewriter.serial
      layering = layers
    }
    rewriter.detach()
    stream = nil
    if state == .running { state = .waiting }
  }

  /// Layers came, went or changed their size.
  func layersChanged(now: Instant) {
    updateLimit(now: now)
    reconsider()
  }

  /// Finds the smallest layer that fills the size at which the video is shown, and the temporal layers up to the
  /// highest useful frame rate.
  func updateLimit(now: Instant) {
    guard let publication, let shown = layering.shown, !shown.isHidden else {
      layering.limit = .highest
      return
    }
    publication.askSizes()
    var limit = LayerIndex.highest
    let top = publication.topSpatial
    for spatial in 0..<top {
      let size = publication.size(of: spatial)
      guard size.width > 0, shown.isSatisfied(byWidth: size.width, height: size.height) else { continue }
      limit.spatial = spatial
      break
    }
    if shown.frameRate > 0 { limit.temporal = temporalLimit(shown.frameRate, limit.spatial, publication, now) }
    layering.limit = limit
  }

  /// The highest temporal layer of at most `most` frames a second; the lowest when even that has more. While nothing
  /// has been measured the layer stays.
  private func temporalLimit(_ most: Int, _ spatial: UInt8, _ publication: Publication, _ now: Instant) -> UInt8 {
    let before = layering.limit.temporal
    guard let stream = stream ?? publication.stream(for: spatial), stream.layers.meter.hasRates(now: now) else {
      return before
    }
    let top = stream.layers.top.temporal
    for temporal in stride(from: Int(top), through: 1, by: -1) {
      let isTop = temporal == Int(top)
      // The current layer may have a little more: rates are counted in whole frames, and cameras do not keep theirs.
      let isCurrent = UInt8(temporal) == before || (isTop && before > top)
      let rate = stream.layers.meter.frameRate(temporal: temporal, now: now)
      guard rate * 100 <= Double(most) * (isCurrent ? 130 : 115) else { continue }
      return isTop ? LayerIndex.highest.temporal : UInt8(temporal)
    }
    return top == 0 ? LayerIndex.highest.temporal : 0
  }

  /// Applies a limit of frames a second again, since sources change their rate; true when something changed.
  func updateFrameRate(now: Instant) -> Bool {
    guard let shown = layering.shown, shown.frameRate > 0, !shown.isHidden else { return false }
    let before = layering.limit
    updateLimit(now: now)
    guard layering.limit != before else { return false }
    reconsider()
    return true
  }

  /// The layers that this receiver demands of the publisher.
  var demand: LayerDemand.Level {
    guard publication != nil, !isPaused, !isHidden else { return LayerDemand.Level() }
    let layers = limit.spatial >= 7 ? 8 : limit.spatial + 1
    guard let shown = layering.shown else { return LayerDemand.Level(layers: layers) }
    return LayerDemand.Level(
      layers: layers, width: UInt16(clamping: shown.width), height: UInt16(clamping: shown.height),
      frameRate: demandedRate)
  }

  /// The frame rate that the sender is to keep to; 0 if frames can be left out on the way, each receiver its own.
  private var demandedRate: UInt16 {
    guard let shown = layering.shown, publication?.hasTemporalLayers == false else { return 0 }
    return UInt16(clamping: shown.frameRate)
  }

  /// The layers forwarded while another simulcast stream is waited for.
  var inUse: LayerDemand.Level {
    guard state == .running, !isStopped, layering.next != nil, let stream else { return LayerDemand.Level() }
    let size = stream.layers.size(of: stream.layers.top.spatial)
    return LayerDemand.Level(
      layers: stream.layers.rank + 1, width: size.width, height: size.height, frameRate: demandedRate)
  }

  // MARK: Forwarding

  /// Judges a packet of a stream from which not everything passes.
  func selectNumbers(
    _ packet: StoredPacket, _ stream: SourceStream, _ now: Instant
  ) -> StreamRewriter.Numbers? {
    guard rewriter.isNewest(packet) else { return rewriter.rewrite(packet, layering.selector.selection, now: now) }
    var selector = layering.selector
    let isAdmitted = selector.admits(packet, of: stream)
    layering.selector = selector
    guard isAdmitted else {
      rewriter.skip(packet, layering.selector.selection)
      return nil
    }
    var numbers = rewriter.rewrite(packet, layering.selector.selection, now: now)
    if !packet.marker, layering.selector.endsPicture(packet, of: stream) { numbers?.endsPicture = true }
    return numbers
  }

  /// The index among the waiting packets of `next` at which a keyframe begins that the receiver can take.
  func switchPoint(in next: SourceStream) -> Int? {
    for index in 0..<next.pending.count {
      let packet = next.store[next.pending[index]]
      // One that was recovered late would have to be followed by everything that has come since.
      guard packet.startsKeyframe, packet.payloadLength != 0, packet.sequence &+ 256 > next.highest else { continue }
      if payloadType(for: packet.payloadType) != nil { return index }
    }
    return nil
  }

  /// Goes over to another stream of the publication, whose keyframe begins with `packet`.
  func change(to next: SourceStream, at packet: StoredPacket, now: Instant) {
    let old = stream === next ? layering.previous : stream ?? layering.previous
    let time = timestamp(of: packet, in: next, after: old, now: now)
    if let stream, stream !== next { leave(stream) }
    stream = next
    layering.next = nil
    rewriter.begin(with: packet, timestamp: time)
    run(next)
  }

  /// From now on packets of `stream` pass, from the keyframe at hand on.
  func run(_ stream: SourceStream) {
    state = .running
    layering.waitingSince = nil
    if media.kind == .video {
      var selector = layering.selector
      selector.begin(stream)
      layering.selector = selector
    }
    // The receiver puts sound and picture in step as soon as it has a report of both.
    egress.wantsReport = true
  }

  /// The outgoing timestamp of a packet with which another layer begins: sender reports say how the clocks of both
  /// streams relate, and the time line goes on as if there had been no change. Without reports time goes on by what has
  /// passed.
  private func timestamp(
    of packet: StoredPacket, in next: SourceStream, after old: SourceStream?, now: Instant
  ) -> UInt32 {
    let elapsed = rewriter.timestamp(now: now, clockRate: next.clockRate)
    guard rewriter.hasSent, let from = old?.mapping, let to = next.mapping else { return elapsed }
    let captured = to.ntpTime(of: packet.timestamp)
    let expected =
      from.rtpTimestamp(at: captured).rawValue &+ rewriter.timestampOffset &- layering.lead
    // Reports that contradict what has passed by more than two seconds are not worth following.
    let difference = Int32(truncatingIfNeeded: expected &- elapsed)
    guard difference.magnitude < next.clockRate &* 2 else { return elapsed }
    // Time must not stand still or go back: both layers may show the same instant.
    let earliest = rewriter.lastTimestamp &+ 1
    let isLate = Int32(truncatingIfNeeded: expected &- earliest) >= 0
    layering.lead = isLate ? 0 : earliest &- expected
    return isLate ? expected : earliest
  }

  /// The stream that the rewriter knows by `serial`, while it can still be asked for packets.
  func stream(bySerial serial: UInt32) -> SourceStream? {
    if serial == rewriter.serial { return stream }
    return serial == layering.previousSerial ? layering.previous : nil
  }
}
