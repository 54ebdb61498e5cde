import Basics
import RTC

/// What is known about the layers of one source stream: which it has, how large their pictures are, what they take, and
/// whether it arrives.
struct SourceLayers {
  /// The stream's place among the simulcast streams of its publication, smallest picture first; 0 without simulcast.
  var rank: UInt8 = 0
  /// The highest layers that the stream has.
  private(set) var top = LayerIndex.lowest
  /// The highest spatial layer that it had since its pictures have their size: a sender may leave out layers that
  /// nobody watches (`wanted`), and who wants one of them back must know that there is one, and how large it is.
  private(set) var largest: UInt8 = 0
  /// Whether nothing but the dependency descriptor tells its spatial layers apart: the payload says nothing of them
  /// (AV1).
  fileprivate(set) var needsDescriptor = false
  /// Whether spatial layers came back to a stream that had gone on without them.
  private(set) var hasGrown = false
  var meter = LayerMeter()
  /// Whether packets have come lately, judged by the other streams of the publication.
  private(set) var isActive = true
  /// Whether something changed that subscriptions must hear of: a layer appeared, a size is another one, the stream
  /// came back.
  var hasChanged = false

  private var widths = SIMD4<UInt16>()
  private var heights = SIMD4<UInt16>()
  /// How often the layers left over had another size than before.
  private var surprises: UInt8 = 0
  /// Frames that the other streams began since this one's last packet.
  private var othersFrames: UInt16 = 0
  private var lastTimestamp: UInt32 = 0
  private var lastFrame = Instant.zero
  /// The time between two frames, smoothed.
  private var interval = TimeSpan.milliseconds(33)

  /// The picture size of a spatial layer; zeros while unknown.
  func size(of spatial: UInt8) -> (width: UInt16, height: UInt16) {
    let layer = Int(min(spatial, PacketLayers.maximum))
    return (widths[layer], heights[layer])
  }

  /// Takes over the picture size of a spatial layer.
  mutating func setSize(_ width: Int, _ height: Int, of spatial: Int) {
    guard spatial >= 0, spatial <= Int(PacketLayers.maximum), width > 0, height > 0 else { return }
    let size = (UInt16(clamping: width), UInt16(clamping: height))
    let old = (widths[spatial], heights[spatial])
    guard size != old else { return }
    if largest > top.spatial, spatial <= Int(top.spatial), !Self.isAbout(size.0, old.0) || !Self.isAbout(size.1, old.1)
    {
      // Another camera, or a sender in need: what it has left out would have another size, too.
      largest = top.spatial
      surprises = min(surprises &+ 1, Self.maximumSurprises)
    }
    (widths[spatial], heights[spatial]) = size
    hasChanged = true
  }

  /// A sender whose layers have other sizes each time it leaves some out is asked for that no more: each time costs a
  /// keyframe.
  private static let maximumSurprises: UInt8 = 8

  /// Whether its layers keep their sizes when larger ones are left out, as far as it has shown.
  var keepsSizes: Bool { surprises < Self.maximumSurprises }

  /// Whether two lengths differ by less than a tenth; encoders round them.
  private static func isAbout(_ a: UInt16, _ b: UInt16) -> Bool {
    Int(a) &* 10 >= Int(b) &* 9 && Int(b) &* 10 >= Int(a) &* 9
  }

  /// Sets what layers the stream has, from a template structure; without one they are learnt as they come.
  mutating func setTop(_ new: LayerIndex) {
    guard new != top else { return }
    top = new
    largest = max(largest, new.spatial)
    hasChanged = true
  }

  /// A template structure came with `spatial` as its highest spatial layer. Other layers than before begin together
  /// with its keyframe, and what they take is measured anew.
  ///
  /// - Parameter isFirst: Whether the stream had no structure before.
  mutating func takeStructure(_ new: LayerIndex, isFirst: Bool) {
    if new.spatial != top.spatial, !isFirst {
      hasGrown = new.spatial > top.spatial
      meter.startOver()
    }
    setTop(new)
  }

  /// Notes that a packet of `layers` came.
  @inline(__always)
  mutating func saw(_ layers: PacketLayers) {
    if layers.spatial > top.spatial || layers.temporal > top.temporal {
      setTop(
        LayerIndex(spatial: max(top.spatial, layers.spatial), temporal: max(top.temporal, layers.temporal)))
    }
  }

  // MARK: Whether it arrives

  /// Notes a new packet of a simulcast stream; true when a frame begins, which the other streams are told.
  mutating func arrived(_ timestamp: UInt32, now: Instant) -> Bool {
    othersFrames = 0
    if !isActive {
      isActive = true
      hasChanged = true
    }
    guard timestamp != lastTimestamp else { return false }
    lastTimestamp = timestamp
    if lastFrame != .zero {
      let sample = min(max(now - lastFrame, .milliseconds(5)), .seconds(1))
      interval = TimeSpan(nanoseconds: (interval.nanoseconds &* 7 &+ sample.nanoseconds) / 8)
    } else {
      hasChanged = true
    }
    lastFrame = now
    return true
  }

  /// Another stream of the publication began a frame.
  mutating func otherArrived() { othersFrames = othersFrames == .max ? .max : othersFrames &+ 1 }

  /// Judges whether the stream has stopped: others go on, and it has missed several of its own frames. All streams of a
  /// publisher whose network stalls stop together, and that isn't a reason to change.
  mutating func checkActivity(now: Instant) {
    guard isActive, othersFrames >= 6 else { return }
    let patience = min(max(interval * 3, .milliseconds(200)), .seconds(3))
    guard now - lastFrame > patience else { return }
    isActive = false
    hasChanged = true
  }
}

extension SourceStream {
  /// The reader of dependency descriptors, once it knows a structure.
  var described: DependencyReader? { dependencies?.hasStructure == true ? dependencies : nil }

  /// Reads what layers a packet belongs to, and sizes where a keyframe states them; false when its dependency
  /// descriptor is malformed and must not be passed on.
  func inspectLayers(
    _ packet: inout StoredPacket, _ bytes: Span<UInt8>, descriptor: Range<Int>, payload: Span<UInt8>, codec: Codec
  ) -> Bool {
    var isWhole = true
    if !descriptor.isEmpty {
      if dependencies == nil { dependencies = DependencyReader() }
      isWhole = descriptions.use { describe(&packet, bytes, at: descriptor, codec, $0) } ?? true
    } else if dependencies != nil, packet.startsKeyframe, packet.sequence > highest {
      // The sender has stopped describing its frames.
      dependencies = nil
    }
    if packet.startsKeyframe, dependencies?.structure.hasResolutions != true { learnSizes(payload, codec) }
    return isWhole
  }

  /// Reads a dependency descriptor; false when it is malformed.
  private func describe(
    _ packet: inout StoredPacket, _ bytes: Span<UInt8>, at descriptor: Range<Int>, _ codec: Codec,
    _ reader: DependencyReader
  ) -> Bool {
    do {
      let frame = try reader.read(bytes, at: descriptor, sequence: packet.sequence)
      packet.layers.take(frame, generation: reader.generation)
      if frame.hasStructure {
        if frame.isFrameStart { packet.startsKeyframe = true }
        learn(reader, codec)
      }
      return true
    } catch {
      return false
    }
  }

  private func learn(_ reader: DependencyReader, _ codec: Codec) {
    let spatial = min(reader.structure.maximumSpatialID, PacketLayers.maximum)
    layers.takeStructure(
      LayerIndex(spatial: spatial, temporal: min(reader.structure.maximumTemporalID, PacketLayers.maximum)),
      isFirst: reader.generation <= 1)
    layers.needsDescriptor = codec == .av1 && layers.largest > 0
    for layer in 0...spatial {
      if let size = reader.structure.resolution(ofSpatialLayer: layer) {
        layers.setSize(size.width, size.height, of: Int(layer))
      }
    }
  }

  private func learnSizes(_ payload: Span<UInt8>, _ codec: Codec) {
    if codec == .vp9, let descriptor = try? VP9Descriptor.parse(payload), let count = descriptor.spatialLayerCount {
      for layer in 0..<min(count, PacketLayers.maximum + 1) {
        guard let size = descriptor.resolution(ofSpatialLayer: layer, in: payload) else { continue }
        layers.setSize(Int(size.width), Int(size.height), of: Int(layer))
      }
    } else if let size = PictureSize.ofKeyframe(codec, payload, isEncrypted: isEncrypted) {
      layers.setSize(size.width, size.height, of: Int(layers.top.spatial))
    }
  }

  /// Counts a packet that was kept.
  @inline(__always)
  func countLayers(_ packet: StoredPacket, payload: Int) {
    if packet.layers.flags.contains(.hasTargets) {
      countTargets(packet, payload)
    } else {
      layers.saw(packet.layers)
      layers.meter.count(packet.layers, payload: payload, endsPicture: packet.marker, now: packet.arrival)
    }
  }

  private func countTargets(_ packet: StoredPacket, _ payload: Int) {
    descriptions.use { countTargets(packet, payload, $0) }
  }

  @inline(__always)
  private func countTargets(_ packet: StoredPacket, _ payload: Int, _ reader: DependencyReader) {
    var cells: UInt16 = 0
    var rest = packet.layers.targets & reader.activeTargets
    while rest != 0 {
      let target = rest.trailingZeroBitCount
      rest &= rest &- 1
      guard let layer = reader.structure.layer(ofDecodeTarget: target) else { break }
      cells |= 1 << UInt16(min(layer.spatial, 3) &* 4 &+ min(layer.temporal, 3))
    }
    layers.meter.count(
      cells: cells, packet.layers, payload: payload, endsPicture: packet.marker, now: packet.arrival)
  }
}
