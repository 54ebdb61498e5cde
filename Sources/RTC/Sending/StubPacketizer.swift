import Basics

/// Stands in for the packetizers of the payload formats: audio frames as they are, video cut in pieces behind the shortest VP8 descriptor.
struct StubPacketizer: Sendable {
  let codec: Codec
  let maximumPayloadSize: Int

  init(codec: Codec, maximumPayloadSize: Int, using random: inout some RandomNumberGenerator) {
    self.codec = codec
    self.maximumPayloadSize = max(maximumPayloadSize, 64)
  }

  mutating func packetize(
    _ frame: EncodedFrame, emit: (_ payload: Span<UInt8>, _ marker: Bool) -> Void
  ) throws(PayloadError) {
    guard !frame.data.isEmpty else { throw .truncated }
    guard codec.kind == .video else {
      emit(frame.data.span, false)
      return
    }
    let data = frame.data.span
    var piece = [UInt8](repeating: 0, count: maximumPayloadSize)
    var offset = 0
    while offset < data.count {
      let count = min(maximumPayloadSize - 1, data.count - offset)
      piece[0] = offset == 0 ? 0x10 : 0
      for index in 0..<count { piece[1 + index] = data[offset + index] }
      offset += count
      emit(piece.span.extracting(0..<(count + 1)), offset == data.count)
    }
  }
}
