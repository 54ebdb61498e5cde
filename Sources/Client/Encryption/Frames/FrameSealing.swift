/// Turns frames of codecs into encrypted ones that the same packetizers and receivers take, and back.
///
/// VP8 keeps its clear bytes in front of SFrame, which authenticates them. With AV1 and H.264 SFrame holds the whole
/// frame, since packetizers rewrite headers: the clear part is a copy for the SFU, which receivers drop.
struct FrameSealing {
  /// The most bytes of a frame.
  static let maximumLength = 8 << 20
  /// The bytes of a slice that stay in clear: its header up to the number of its parameter set.
  private static let sliceHeader = 4
  /// The most spatial layers of an AV1 temporal unit.
  private static let maximumLayers = 8

  private var plain: [UInt8] = []
  private var sealed: [UInt8] = []

  /// Appends the encrypted form of `frame` to `output`.
  ///
  /// `seal` appends the SFrame of its first argument, which authenticates the second.
  ///
  /// - Throws: ``FrameDrop/malformed`` when the frame is not one of the codec, or what `seal` throws.
  mutating func seal(
    _ frame: Span<UInt8>, codec: FrameCodec, appendingTo output: inout [UInt8],
    with seal: (Span<UInt8>, Span<UInt8>, inout [UInt8]) throws(FrameDrop) -> Void
  ) throws(FrameDrop) {
    guard frame.count > 0, frame.count <= Self.maximumLength else { throw .malformed }
    let layout = try Self.layout(of: frame, codec: codec)
    let clear = frame.extracting(0..<layout.clearLength)
    let rest = frame.extracting(layout.clearLength..<frame.count)
    plain.removeAll(keepingCapacity: true)
    for index in 0..<clear.count { plain.append(clear[index]) }
    plain.append(layout.rawValue)
    var sealed: [UInt8] = []
    swap(&sealed, &self.sealed)
    defer { swap(&sealed, &self.sealed) }
    sealed.removeAll(keepingCapacity: true)
    try seal(rest, plain.span, &sealed)
    sealed.append(layout.rawValue)
    switch layout {
    case .opaque, .vp8Key, .vp8Delta:
      for index in 0..<clear.count { output.append(clear[index]) }
      output.append(contentsOf: sealed)
    case .av1: try Self.appendOBUs(of: frame, sealed: sealed.span, to: &output)
    case .h264: try Self.appendNALUnits(of: frame, sealed: sealed.span, to: &output)
    }
  }

  /// Appends the plain form of what ``seal(_:codec:appendingTo:with:)`` made to `output`.
  ///
  /// `open` appends the frame that the SFrame in its first argument holds, which was authenticated with the second.
  ///
  /// - Throws: ``FrameDrop/malformed`` when it has no layout of the codec, or what `open` throws.
  mutating func open(
    _ frame: Span<UInt8>, codec: FrameCodec, appendingTo output: inout [UInt8],
    with open: (Span<UInt8>, Span<UInt8>, inout [UInt8]) throws(FrameDrop) -> Void
  ) throws(FrameDrop) {
    guard frame.count > 1, frame.count <= Self.maximumLength,
      let layout = FrameLayout(rawValue: frame[frame.count - 1]), layout.codec == codec
    else { throw .malformed }
    let clear = layout.clearLength
    guard frame.count > clear + 1 else { throw .malformed }
    plain.removeAll(keepingCapacity: true)
    for index in 0..<clear { plain.append(frame[index]) }
    plain.append(layout.rawValue)
    switch layout {
    case .opaque, .vp8Key, .vp8Delta:
      // A key frame stays one: the bit is authenticated, and the layout has to agree with it.
      guard layout == .opaque || (frame[0] & 1 == 0) == (layout == .vp8Key) else { throw .malformed }
      let start = output.count
      for index in 0..<clear { output.append(frame[index]) }
      do throws(FrameDrop) {
        try open(frame.extracting(clear..<(frame.count - 1)), plain.span, &output)
      } catch {
        output.removeSubrange(start...)
        throw error
      }
    case .av1:
      try openOBUs(of: frame, appendingTo: &output, with: open)
    case .h264:
      guard let slice = AnnexB(frame).firstSlice(in: frame), slice + Self.sliceHeader < frame.count else {
        throw .malformed
      }
      let body = slice + Self.sliceHeader
      sealed.removeAll(keepingCapacity: true)
      AnnexB.unescape(
        frame.extracting(body..<frame.count), zeros: Self.zeros(in: frame, before: body), appendingTo: &sealed)
      guard sealed.count > 1 else { throw .malformed }
      try open(sealed.span.extracting(0..<(sealed.count - 1)), plain.span, &output)
    }
  }

  /// Opens each frame OBU: one, or one for each spatial layer, which browsers seal by itself.
  private func openOBUs(
    of frame: Span<UInt8>, appendingTo output: inout [UInt8],
    with open: (Span<UInt8>, Span<UInt8>, inout [UInt8]) throws(FrameDrop) -> Void
  ) throws(FrameDrop) {
    guard let units = OBUSequence(frame)?.units, units.last?.type == OBUSequence.frame else { throw .malformed }
    let start = output.count
    do throws(FrameDrop) {
      var layers = 0
      for unit in units where unit.type == OBUSequence.frame {
        layers += 1
        guard layers <= Self.maximumLayers, unit.payload.count > 1,
          frame[unit.payload.upperBound - 1] == FrameLayout.av1.rawValue
        else { throw .malformed }
        try open(
          frame.extracting(unit.payload.lowerBound..<(unit.payload.upperBound - 1)), plain.span, &output)
      }
    } catch {
      output.removeSubrange(start...)
      throw error
    }
  }

  private static func layout(of frame: Span<UInt8>, codec: FrameCodec) throws(FrameDrop) -> FrameLayout {
    switch codec {
    case .opaque: return .opaque
    case .vp8:
      guard frame[0] & 1 == 0 else { return .vp8Delta }
      guard frame.count >= FrameLayout.vp8Key.clearLength else { throw .malformed }
      return .vp8Key
    case .av1: return .av1
    case .h264: return .h264
    }
  }

  /// The sequence headers of a frame, and one frame OBU with `sealed` in it.
  private static func appendOBUs(
    of frame: Span<UInt8>, sealed: Span<UInt8>, to output: inout [UInt8]
  ) throws(FrameDrop) {
    guard let units = OBUSequence(frame)?.units else { throw .malformed }
    for unit in units where unit.type == OBUSequence.sequenceHeader {
      output.append(frame[unit.start] | 0x02)
      if frame[unit.start] & 0x04 != 0 { output.append(frame[unit.start + 1]) }
      OBUSequence.append(size: unit.payload.count, to: &output)
      for index in unit.payload { output.append(frame[index]) }
    }
    output.append(OBUSequence.frame << 3 | 0x02)
    OBUSequence.append(size: sealed.count, to: &output)
    for index in 0..<sealed.count { output.append(sealed[index]) }
  }

  /// The parameter sets before the first slice of a frame, the beginning of that slice, and `sealed` in it.
  private static func appendNALUnits(
    of frame: Span<UInt8>, sealed: Span<UInt8>, to output: inout [UInt8]
  ) throws(FrameDrop) {
    let units = AnnexB(frame)
    guard let slice = units.firstSlice(in: frame), slice + sliceHeader <= frame.count else { throw .malformed }
    // Other units, such as supplemental information, stay inside.
    for unit in units.parameterSets(in: frame, before: slice) + [slice..<(slice + sliceHeader)] {
      output.append(contentsOf: AnnexB.startCode)
      for index in unit { output.append(frame[index]) }
    }
    AnnexB.escape(sealed, zeros: zeros(in: frame, before: slice + sliceHeader), appendingTo: &output)
  }

  /// Zeros that stand right before a byte of a slice, at most two.
  private static func zeros(in frame: Span<UInt8>, before index: Int) -> Int {
    var count = 0
    while count < 2, frame[index - 1 - count] == 0 { count += 1 }
    return count
  }
}

extension FrameLayout {
  var codec: FrameCodec {
    switch self {
    case .opaque: .opaque
    case .vp8Key, .vp8Delta: .vp8
    case .av1: .av1
    case .h264: .h264
    }
  }
}
