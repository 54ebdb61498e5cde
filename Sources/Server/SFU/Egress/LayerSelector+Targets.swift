import RTC

/// Layers by the decode targets of the dependency descriptor (AOM, RTP payload format for AV1, appendix A).
extension LayerSelector {
  /// Whether a packet that is part of known decode targets passes.
  mutating func admits(
    _ layers: PacketLayers, startsPicture: Bool, _ stream: SourceStream, _ reader: DependencyReader
  ) -> Bool {
    if layers.flags.contains(.hasStructure) {
      // Targets may have other numbers now; who decodes the keyframe can decode any of them.
      begin(stream)
      hasTimestamp = true
      return selection.admits(layers)
    }
    // Where the structure came late, the chance to begin with its keyframe is gone.
    if reader.generation != generation { follow(stream) } else if layers.flags.contains(.hasMask) { settle(stream) }
    if isOpen { return true }
    // A frame from before the newest structure has its own numbers.
    guard layers.structure == UInt8(truncatingIfNeeded: reader.generation & 0x0F) else {
      return selection.admits(layers)
    }
    if layers.flags.contains(.startsFrame), selection.target != wantedTarget {
      let next = nextTarget(layers, startsPicture, reader)
      if next != selection.target {
        selection = Self.selecting(next, reader)
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
    if startsPicture {
      if reader.contains(wantedTarget, in: current) { return wantedTarget }
      if let less = lesser(than: current, reader) { return less }
    }
    // A frame's references are there when the frame belongs to what was forwarded, or refers to nothing.
    let isDecodable = layers.targets >> UInt32(current & 31) & 1 != 0 || layers.flags.contains(.isIndependent)
    guard isDecodable else { return current }
    if layers.switches >> UInt32(wantedTarget & 31) & 1 != 0 { return wantedTarget }
    let now = reader.structure.layer(ofDecodeTarget: Int(current)) ?? LayerID(spatial: 0, temporal: 0)
    let goal = reader.structure.layer(ofDecodeTarget: Int(wantedTarget)) ?? now
    // A step on the way up is taken, too.
    guard (now.spatial, now.temporal) < (goal.spatial, goal.temporal),
      let step = best(of: layers.switches & eligible, reader),
      let layer = reader.structure.layer(ofDecodeTarget: Int(step))
    else { return current }
    return (layer.spatial, layer.temporal) > (now.spatial, now.temporal) ? step : current
  }

  /// The best decode target within `current` when that has larger pictures than wanted: less at once, the rest of the
  /// way later.
  func lesser(than current: UInt8, _ reader: DependencyReader) -> UInt8? {
    guard let now = reader.structure.layer(ofDecodeTarget: Int(current)), now.spatial > wanted.spatial else {
      return nil
    }
    return best(of: reader.structure.targets(within: Int(current)) & eligible, reader)
  }

  /// The highest of `targets`, larger pictures before higher frame rates; nil when there is none.
  private func best(of targets: UInt32, _ reader: DependencyReader) -> UInt8? {
    var best: UInt8?
    var bestLayer = LayerID(spatial: 0, temporal: 0)
    for target in 0..<reader.structure.decodeTargetCount where targets >> UInt32(target) & 1 != 0 {
      guard let layer = reader.structure.layer(ofDecodeTarget: Int(target)) else { continue }
      if best == nil || (layer.spatial, layer.temporal) > (bestLayer.spatial, bestLayer.temporal) {
        best = target
        bestLayer = layer
      }
    }
    return best
  }

  /// What passes when decode target `target` does.
  static func selecting(_ target: UInt8, _ reader: DependencyReader) -> LayerSelection {
    let layer = reader.structure.layer(ofDecodeTarget: Int(target)) ?? LayerID(spatial: 0, temporal: 0)
    return LayerSelection(
      spatial: min(layer.spatial, PacketLayers.maximum), temporal: min(layer.temporal, PacketLayers.maximum),
      target: target, generation: reader.generation)
  }

  /// Goes over to the structure that the stream has now, should it be another one.
  mutating func follow(_ stream: SourceStream) {
    let isAnother = stream.described.map { $0.generation != generation } ?? false
    settle(stream)
    if isAnother, let reader = stream.described { findTarget(reader) }
  }

  /// Finds the number that what passes now has in another structure.
  private mutating func findTarget(_ reader: DependencyReader) {
    guard selection.target != LayerSelection.noTarget else { return }
    var targets: UInt32 = 0
    for target in 0..<reader.structure.decodeTargetCount {
      guard let layer = reader.structure.layer(ofDecodeTarget: Int(target)) else { continue }
      if layer.spatial <= selection.spatial, layer.temporal <= selection.temporal { targets |= 1 << UInt32(target) }
    }
    selection = Self.selecting(best(of: targets, reader) ?? smallest(reader), reader)
    noteTargets(reader, startsOver: false)
  }

  /// Works out what the wanted layers mean for the stream as it is now.
  mutating func settle(_ stream: SourceStream) {
    top = stream.layers.top
    coversAll = wanted.spatial >= top.spatial && wanted.temporal >= top.temporal
    wantedTarget = LayerSelection.noTarget
    eligible = 0
    guard let reader = stream.described else { return }
    generation = reader.generation
    for target in 0..<reader.structure.decodeTargetCount where reader.activeTargets >> UInt32(target) & 1 != 0 {
      guard let layer = reader.structure.layer(ofDecodeTarget: Int(target)), layer.spatial <= wanted.spatial,
        layer.temporal <= wanted.temporal
      else { continue }
      eligible |= 1 << UInt32(target)
    }
    wantedTarget = best(of: eligible, reader) ?? LayerSelection.noTarget
    // Nothing is as small as what is wanted: the smallest there is.
    if wantedTarget == LayerSelection.noTarget, !coversAll { wantedTarget = smallest(reader) }
    // With independent upper layers (the lower ones serve keyframes only) even the highest target leaves frames out.
    if coversAll, wantedTarget != LayerSelection.noTarget,
      reader.structure.targets(within: Int(wantedTarget)) & reader.activeTargets != reader.activeTargets
    {
      coversAll = false
    }
  }

  /// The lowest of the active targets.
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

  mutating func openIfReached() {
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
  mutating func noteTargets(_ reader: DependencyReader?, startsOver: Bool) {
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
