import RTC

/// Decides for each packet of one stream whether one receiver gets it, and when its layers may change.
///
/// Down it goes at the next picture. Up it goes where the codec says that a decoder can follow: at a keyframe; in time
/// at a layer-sync frame (VP8), after a switching-up point (VP9) or at a switch indication (dependency descriptor); in
/// space also at a frame that needs no earlier picture. Until then the old layers go on. A plain value; nothing
/// allocates.
struct LayerSelector: Sendable {
  var selection = LayerSelection.all
  /// The layers that shall pass.
  private(set) var wanted = LayerIndex.highest
  /// Whether everything passes and nothing has to be looked at: the only question that a stream without layers costs.
  var isOpen = true
  /// Bit n: decode target n is still complete at the receiver, unless the sender itself has stopped it.
  var completeTargets = UInt32.max
  /// Whether the receiver must be told which decode targets are complete: it was told otherwise before, or not all are.
  var writesMask = false

  /// Whether ``wanted`` lets everything pass that the stream has.
  var coversAll = true
  var top = LayerIndex.lowest
  /// Which structure ``wantedTarget`` is of.
  var generation: UInt32 = 0
  var wantedTarget = LayerSelection.noTarget
  /// Targets that may be taken.
  var eligible: UInt32 = 0
  private var timestamp: UInt32 = 0
  var hasTimestamp = false

  /// Sets what is to pass; it takes effect where the stream lets it.
  mutating func want(_ wanted: LayerIndex, of stream: SourceStream) {
    self.wanted = wanted
    follow(stream)
    if !coversAll { isOpen = false }
    if coversAll { openIfReached() }
  }

  /// A stream begins, or begins again, with a keyframe: it starts with what is wanted.
  mutating func begin(_ stream: SourceStream) {
    hasTimestamp = false
    settle(stream)
    isOpen = coversAll
    if coversAll {
      selection = .all
    } else if wantedTarget != LayerSelection.noTarget, let reader = stream.described {
      selection = Self.selecting(wantedTarget, reader)
    } else {
      selection = LayerSelection(spatial: wanted.spatial, temporal: wanted.temporal)
    }
    noteTargets(stream.described, startsOver: true)
  }

  /// Whether the next step waits for a keyframe of the stream: it cannot be taken otherwise.
  func awaitsKeyframe(of stream: SourceStream) -> Bool {
    guard !isOpen else { return false }
    if let reader = stream.described, wantedTarget != LayerSelection.noTarget {
      guard selection.target != LayerSelection.noTarget,
        let now = reader.structure.layer(ofDecodeTarget: Int(selection.target)),
        let goal = reader.structure.layer(ofDecodeTarget: Int(wantedTarget))
      else { return false }
      return goal.spatial > now.spatial || goal.spatial < now.spatial && lesser(than: selection.target, reader) == nil
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
}
