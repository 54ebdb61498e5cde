import RTC

/// Decides for each packet of one stream whether one receiver gets it, and when its layers may change.
///
/// Down it goes at the next picture. Up it goes where the codec says that a decoder can follow: at a keyframe; in time at a layer-sync frame
/// (VP8), after a switching-up point (VP9) or at a switch indication (dependency descriptor); in space also at a frame that
/// needs no earlier picture. Until then the old layers go on. A plain value; nothing allocates.
struct LayerSelector: Sendable {
  /// What passes now.
  private(set) var selection = LayerSelection.all
  /// What is to pass.
  private(set) var wanted = LayerIndex.highest
  /// Whether everything passes and nothing has to be looked at: the only question that a stream without layers costs.
  private(set) var isOpen = true
  /// Bit n: decode target n is still complete at the receiver, unless the sender itself has stopped it.
  private(set) var completeTargets = UInt32.max
  /// Whether the receiver must be told which decode targets are complete: it was told otherwise before, or not all are.
  private(set) var writesMask = false

  /// Whether ``wanted`` lets everything pass that the stream has.
  private var coversAll = true
  private var top = LayerIndex.lowest
  /// Which structure ``wantedTarget`` is of.
  private var generation: UInt32 = 0
  private var wantedTarget = LayerSelection.noTarget
  /// Targets that may be taken.
  private var eligible: UInt32 = 0
  private var timestamp: UInt32 = 0
  private var hasTimestamp = false

  /// Sets what is to pass; it takes effect where the stream lets it.
  mutating func want(_ wanted: LayerIndex, of stream: SourceStream) {
    self.wanted = wanted
    settle(stream)
    if !coversAll { isOpen = false }
    if coversAll { openIfReached() }
  }

  /// A stream begins, or begins again, with a keyframe: it starts with what is wanted.
  mutating func begin(_ stream: SourceStream) {
    hasTimestamp = false
    settle(stream)
    isOpen = coversAll
    selection = coversAll ? .all : LayerSelection(spatial: wanted.spatial, temporal: wanted.temporal, target: wantedTarget)
    noteTargets(stream.described, startsOver: true)
  }

  /// Whether the next step waits for a keyframe of the stream: it cannot be taken otherwise.
  func awaitsKeyframe(of stream: SourceStream) -> Bool {
    guard !isOpen else { return false }
    if let reader = stream.described, wantedTarget != LayerSelection.noTarget {
      guard selection.target != LayerSelection.noTarget, selection.target != wantedTarget else { return false }
      return reader.structure.layer(ofDecodeTarget: Int(selection.target))?.spatial
        != reader.structure.layer(ofDecodeTarget: Int(wantedTarget))?.spatial
    }
    let highest = min(wanted.spatial, stream.layers.top.spatial)
    guard selection.spatial < highest else { return false }
    // What the sender has stopped to send no keyframe brings back.
    return (selection.spatial + 1...highest).contains { stream.layers.meter.arrives(spatial: Int($0), temporal: 0) }
  }

  /// The layer that passes now, of those that the stream has.
  func current(of stream: SourceStream) -> LayerIndex {
    let top = stream.layers.top
    if selection.target != LayerSelection.noTarget,
      let layer = stream.described?.structure.layer(ofDecodeTarget: Int(selection.target))
    {
      return LayerIndex(spatial: min(layer.spatial, top.spatial), temporal: min(layer.temporal, top.temporal))
    }
    return LayerIndex(spatial: min(selection.spatial, top.spatial), temporal: min(selection.temporal, top.temporal))
  }

  /// Whether `packet`, the newest of its stream, passes.
  mutating func admits(_ packet: StoredPacket, of stream: SourceStream) -> Bool {
    let layers = packet.layers
    let startsPicture = !hasTimestamp || packet.timestamp.rawValue != timestamp
    hasTimestamp = true
    timestamp = packet.timestamp.rawValue
    if layers.flags.contains(.hasTargets), let reader = stream.described {
      return admits(layers, startsPicture: startsPicture, stream, reader)
    }
    // Nothing is known about the packet, which happens around a structure that has not arrived yet.
    if isOpen || stream.described != nil { return selection.admits(layers) }
    var spatial = selection.spatial
    var temporal = selection.temporal
    if packet.startsKeyframe {
      spatial = wanted.spatial
      temporal = wanted.temporal
    } else {
      if startsPicture {
        spatial = min(spatial, wanted.spatial)
        temporal = min(temporal, wanted.temporal)
      }
      if layers.flags.contains(.startsFrame) {
        // One step at a time: later frames of the layer may need the one between, from before this frame.
        if layers.flags.contains(.isLayerSync), layers.temporal == temporal &+ 1, temporal < wanted.temporal {
          temporal = layers.temporal
        }
        // An upper layer that needs this picture's lower one alone.
        if layers.flags.contains(.isIndependent), layers.spatial == spatial &+ 1, layers.spatial <= wanted.spatial {
          spatial = layers.spatial
        }
      }
    }
    if layers.flags.contains(.isSwitchingUpPoint), layers.temporal <= temporal, temporal < wanted.temporal {
      temporal = wanted.temporal
    }
    if spatial != selection.spatial || temporal != selection.temporal || selection.target != LayerSelection.noTarget {
      selection = LayerSelection(spatial: spatial, temporal: temporal)
      openIfReached()
    }
    return selection.admits(layers)
  }

  /// Whether `packet`, which passes, is the last of its picture for this receiver.
  func endsPicture(_ packet: StoredPacket, of stream: SourceStream) -> Bool {
    guard !isOpen, packet.layers.flags.contains(.endsFrame) else { return false }
    if selection.target != LayerSelection.noTarget, packet.layers.flags.contains(.hasTargets) {
      let target = stream.described?.structure.layer(ofDecodeTarget: Int(selection.target))
      return packet.layers.spatial == target?.spatial
    }
    return packet.layers.spatial == selection.spatial && stream.layers.top.spatial > selection.spatial
  }

  // MARK: Decode targets

  private mutating func admits(
    _ layers: PacketLayers, startsPicture: Bool, _ stream: SourceStream, _ reader: DependencyReader
  ) -> Bool {
    if layers.flags.contains(.hasStructure) || reader.generation != generation {
      // Targets may have other numbers now; who decodes the keyframe can decode any of them.
      begin(stream)
      hasTimestamp = true
      return selection.admits(layers)
    }
    if layers.flags.contains(.hasMask) { settle(stream) }
    if isOpen { return true }
    if layers.flags.contains(.startsFrame), selection.target != wantedTarget {
      let next = nextTarget(layers, startsPicture, reader)
      if next != selection.target {
        selection = LayerSelection(spatial: wanted.spatial, temporal: wanted.temporal, target: next)
        openIfReached()
        noteTargets(reader, startsOver: false)
      }
    }
    return selection.admits(layers)
  }

  /// The decode target from this frame on.
  private func nextTarget(_ layers: PacketLayers, _ startsPicture: Bool, _ reader: DependencyReader) -> UInt8 {
    let current = selection.target
    guard wantedTarget != LayerSelection.noTarget else { return current }
    // Whatever one had everything of can be reduced at a picture.
    guard current != LayerSelection.noTarget else { return startsPicture ? wantedTarget : current }
    if startsPicture, reader.structure.targets(within: Int(current)) >> UInt32(wantedTarget & 31) & 1 != 0 {
      return wantedTarget
    }
    // What a frame refers to is there when the frame belongs to what was forwarded, or refers to nothing.
    let isDecodable = layers.targets >> UInt32(current & 31) & 1 != 0 || layers.flags.contains(.isIndependent)
    guard isDecodable else { return current }
    if layers.switches >> UInt32(wantedTarget & 31) & 1 != 0 { return wantedTarget }
    let now = reader.structure.layer(ofDecodeTarget: Int(current)) ?? LayerID(spatial: 0, temporal: 0)
    let goal = reader.structure.layer(ofDecodeTarget: Int(wantedTarget)) ?? now
    // A step on the way up is taken, too.
    var best = current
    var bestLayer = now
    for target in 0..<reader.structure.decodeTargetCount
    where (layers.switches & eligible) >> UInt32(target) & 1 != 0 {
      guard let layer = reader.structure.layer(ofDecodeTarget: Int(target)), layer.spatial <= goal.spatial else {
        continue
      }
      if (layer.spatial, layer.temporal) > (bestLayer.spatial, bestLayer.temporal) {
        best = target
        bestLayer = layer
      }
    }
    return best
  }

  /// Works out what the wanted layers mean for the stream as it is now.
  private mutating func settle(_ stream: SourceStream) {
    top = stream.layers.top
    coversAll = wanted.spatial >= top.spatial && wanted.temporal >= top.temporal
    wantedTarget = LayerSelection.noTarget
    eligible = 0
    guard let reader = stream.described else { return }
    generation = reader.generation
    var best: LayerID?
    for target in 0..<reader.structure.decodeTargetCount where reader.activeTargets >> UInt32(target) & 1 != 0 {
      guard let layer = reader.structure.layer(ofDecodeTarget: Int(target)), layer.spatial <= wanted.spatial,
        layer.temporal <= wanted.temporal
      else { continue }
      eligible |= 1 << UInt32(target)
      if let best, (layer.spatial, layer.temporal) <= (best.spatial, best.temporal) { continue }
      best = layer
      wantedTarget = target
    }
    // Nothing is as small as what is wanted: the smallest there is.
    if wantedTarget == LayerSelection.noTarget, !coversAll { wantedTarget = smallest(reader) }
    // With independent upper layers (the lower ones serve keyframes only) even the highest target leaves frames out.
    if coversAll, wantedTarget != LayerSelection.noTarget,
      reader.structure.targets(within: Int(wantedTarget)) & reader.activeTargets != reader.activeTargets
    {
      coversAll = false
    }
  }

  private func smallest(_ reader: DependencyReader) -> UInt8 {
    var best = LayerSelection.noTarget
    var bestLayer = LayerID(spatial: 8, temporal: 8)
    for target in 0..<reader.structure.decodeTargetCount where reader.activeTargets >> UInt32(target) & 1 != 0 {
      guard let layer = reader.structure.layer(ofDecodeTarget: Int(target)) else { continue }
      if (layer.spatial, layer.temporal) < (bestLayer.spatial, bestLayer.temporal) {
        best = target
        bestLayer = layer
      }
    }
    return best
  }

  private mutating func openIfReached() {
    guard coversAll else { return }
    if selection.target != LayerSelection.noTarget {
      guard selection.target == wantedTarget else { return }
    } else {
      guard selection.spatial >= top.spatial, selection.temporal >= top.temporal else { return }
    }
    isOpen = true
    selection = .all
    completeTargets = .max
  }

  /// Brings up to date what the receiver is told about decode targets.
  private mutating func noteTargets(_ reader: DependencyReader?, startsOver: Bool) {
    guard let reader else {
      completeTargets = .max
      writesMask = false
      return
    }
    let complete =
      selection.target == LayerSelection.noTarget ? UInt32.max : reader.structure.targets(within: Int(selection.target))
    completeTargets = complete
    let isWhole = complete & reader.activeTargets == reader.activeTargets
    // A structure without a mask says that all are there; later on silence means that nothing has changed.
    if startsOver { writesMask = !isWhole } else if !isWhole { writesMask = true }
  }
}
