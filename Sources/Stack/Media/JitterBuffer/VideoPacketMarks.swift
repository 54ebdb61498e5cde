import RTC

extension VideoPacketStore.Marks {
  /// A payload's place in a frame; nil for one that must be dropped.
  ///
  /// - Parameter hasSpatialLayers: whether a superframe of an AV1 stream has several frames, so that the start of a
  ///   frame is not the start of a superframe.
  static func read(
    _ packet: ReceivedPacket, payload: Span<UInt8>, descriptor: Span<UInt8>?, hasSpatialLayers: Bool
  ) -> VideoPacketStore.Marks? {
    guard payload.count > 0 else { return .isPadding }
    var marks: VideoPacketStore.Marks = packet.isRetransmission ? .isRetransmission : []
    if packet.marker { marks.insert(.ends) }
    switch packet.codec {
    case .vp8:
      guard let read = try? VP8Descriptor.parse(payload) else { return nil }
      if read.isFrameStart { marks.insert(.starts) }
      if read.isKeyframeStart { marks.insert(.isKey) }
    case .vp9:
      guard let read = try? VP9Descriptor.parse(payload) else { return nil }
      if read.isFrameStart {
        // A forwarder may leave out the lower spatial layers of a picture.
        marks.insert(read.spatialID ?? 0 == 0 ? .starts : .mayStart)
      }
      if read.isKeyframeStart { marks.insert(.isKey) }
    case .h264:
      guard let read = try? H264Payload.parse(payload) else { return nil }
      if case .fragment(_, let end) = read.structure {
        if !end { marks.insert(.isOpen) }
      }
      marks.insert(.mayStart)
      // A parameter set precedes the picture's slices, so it can only be at its start.
      if read.starts(H264Payload.sps) { marks.formUnion([.starts, .hasSPS]) }
      if read.starts(H264Payload.pps) { marks.insert(.hasPPS) }
      if read.starts(H264Payload.idr) { marks.insert(.isKey) }
      if payload[0] & 0x60 != 0 { marks.insert(.isReference) }
    case .av1:
      guard let read = try? AV1AggregationHeader.parse(payload) else { return nil }
      if !read.continuesPrevious { marks.insert(.mayStart) }
      if read.startsCodedVideoSequence { marks.formUnion([.starts, .isKey]) }
      if let descriptor, descriptor.count >= 3, descriptor[0] & 0x80 != 0, !hasSpatialLayers, !read.continuesPrevious {
        marks.insert(.starts)
      }
      if read.hasSequenceHeader { marks.insert(.isKey) }
    default: return nil
    }
    return marks
  }
}
