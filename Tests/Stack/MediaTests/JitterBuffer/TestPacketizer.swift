import Basics
import RTC

/// Payloads of made-up frames of each codec. AV1, which is only received, is written here.
struct TestPacketizer {
  struct Payload {
    var bytes: [UInt8]
    var descriptor: [UInt8]?
  }

  var codec: Codec
  var layers: Bool
  var size = 1_100
  var hasDescriptors = true
  private var packetizer: Packetizer
  private var frameNumber: UInt16

  init(codec: Codec, layers: Bool, random: inout some RandomNumberGenerator) {
    self.codec = codec
    self.layers = layers
    packetizer = Packetizer(codec: codec, maximumPayloadSize: size, hasTemporalLayers: layers, using: &random)
    frameNumber = UInt16.random(in: 0...UInt16.max, using: &random)
  }

  /// Goes on as another sender would.
  mutating func renumber(_ random: inout some RandomNumberGenerator) {
    packetizer = Packetizer(codec: codec, maximumPayloadSize: size, hasTemporalLayers: layers, using: &random)
    frameNumber = UInt16.random(in: 0...UInt16.max, using: &random)
  }

  mutating func packetize(
    _ data: [UInt8], isKeyframe: Bool, layer: UInt8, isReference: Bool, isSync: Bool
  ) -> [Payload] {
    if codec == .av1 { return packetizeAV1(data, isKeyframe: isKeyframe) }
    let frame = EncodedFrame(
      codec: codec, data: data, timestamp: RTPTimestamp(rawValue: 0), isKeyframe: isKeyframe, temporalID: layer,
      isReference: isReference, isLayerSync: layer > 0 && isSync, width: 640, height: 360)
    var out: [Payload] = []
    do throws(PayloadError) {
      try packetizer.packetize(frame) { payload, _ in
        out.append(Payload(bytes: payload.withUnsafeBufferPointer { [UInt8]($0) }, descriptor: nil))
      }
    } catch {
      out = []
    }
    return out
  }

  /// A frame as the codec would make it, as far as headers are looked at, with `index` behind them.
  static func content(_ codec: Codec, index: Int, isKeyframe: Bool, size: Int) -> [UInt8] {
    var out: [UInt8]
    switch codec {
    case .vp8:
      out = isKeyframe ? [0x10, 2, 0, 0x9D, 1, 0x2A, 0x80, 0x02, 0x68, 0x01] : [0x11, 2, 0, 0, 0, 0, 0, 0, 0, 0]
    // Frame marker 2, profile 0, shown; a keyframe with sync code and BT.601.
    case .vp9: out = isKeyframe ? [0x82, 0x49, 0x83, 0x42, 0x20, 0, 0, 0, 0, 0] : [0x86, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    case .h264:
      out =
        isKeyframe
        ? [0, 0, 0, 1, 0x67, 0x42, 0xC0, 0x1E, 0xDA, 0x02, 0x80, 0xBF, 0xE5, 0, 0, 0, 1, 0x68, 0xCE, 0x3C, 0x80]
          + [0, 0, 0, 1, 0x65, 0x88] : [0, 0, 0, 1, 0x41, 0x9A]
    // A frame OBU with size; of a keyframe behind a sequence header of the reduced kind.
    default: out = []
    }
    var body: [UInt8] = []
    // Never zero, so that nothing looks like a start code.
    for shift in stride(from: 28, through: 0, by: -4) { body.append(UInt8(index >> shift & 0x0F) | 0x80) }
    // Odd and never small, so that nothing looks like a start code; other bytes in each frame and in each part of it.
    var block = index
    while out.count + body.count < size {
      block += 1
      let value = UInt8(truncatingIfNeeded: block &* 37) | 0x81
      body += [UInt8](repeating: value, count: min(61, size - out.count - body.count))
    }
    guard codec == .av1 else { return out + body }
    if isKeyframe { out += [0x0A, UInt8(sequenceHeader.count)] + sequenceHeader }
    let frame: [UInt8] = [isKeyframe ? 0x10 : 0x30] + body
    out += [0x32]
    var rest = frame.count
    while rest > 0x7F {
      out.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return out + [UInt8(rest)] + frame
  }

  /// Profile 0, no still picture, no timing, one operating point of level 4, ten bits for each dimension: 640 by 360.
  static let sequenceHeader: [UInt8] = {
    var bits: [Int] = []
    func put(_ value: Int, _ count: Int) {
      for shift in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> shift & 1) }
    }
    put(0, 3)
    put(0, 2)
    put(0, 2)
    put(0, 5)
    put(0, 12)
    put(4, 5)
    put(9, 4)
    put(9, 4)
    put(639, 10)
    put(359, 10)
    while bits.count % 8 != 0 { bits.append(0) }
    return stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
    }
  }()

  /// The index that ``content(_:index:isKeyframe:size:)`` put in.
  static func index(of frame: EncodedFrame) -> Int? {
    var start: Int
    switch frame.codec {
    case .vp8, .vp9: start = 10
    case .h264: start = frame.isKeyframe ? 27 : 6
    default:
      start = frame.isKeyframe ? 2 + sequenceHeader.count : 0
      start += 1
      while start < frame.data.count, frame.data[start] & 0x80 != 0 { start += 1 }
      start += 2
    }
    guard frame.data.count >= start + 8 else { return nil }
    return frame.data[start..<(start + 8)].reduce(0) { $0 << 4 | Int($1 & 0x0F) }
  }

  /// AOM, RTP payload format for AV1, section 4: OBUs without size fields, the last one cut over the packets.
  private mutating func packetizeAV1(_ data: [UInt8], isKeyframe: Bool) -> [Payload] {
    var start = isKeyframe ? 2 + Self.sequenceHeader.count : 0
    // The frame OBU: its header byte without the size flag, then what follows the size.
    var position = start + 1
    while data[position] & 0x80 != 0 { position += 1 }
    let obu = [UInt8(0x30)] + data[(position + 1)...]
    start = 0
    var out: [Payload] = []
    while start < obu.count {
      let isFirst = start == 0
      var bytes: [UInt8] = []
      let end = min(start + size - 40, obu.count)
      let flags: UInt8 = (isFirst ? 0 : 0x80) | (end < obu.count ? 0x40 : 0)
      if isFirst, isKeyframe {
        bytes = [flags | 0x20 | 0x08, UInt8(1 + Self.sequenceHeader.count), 0x08] + Self.sequenceHeader
      } else {
        bytes = [flags | 0x10]
      }
      bytes += obu[start..<end]
      let number = frameNumber
      var descriptor: [UInt8] = [
        (isFirst ? 0x80 : 0) | (end == obu.count ? 0x40 : 0) | (isKeyframe ? 0 : 1), UInt8(number >> 8),
        UInt8(number & 0xFF),
      ]
      if isFirst, isKeyframe { descriptor += Self.structure }
      out.append(Payload(bytes: bytes, descriptor: hasDescriptors ? descriptor : nil))
      start = end
    }
    frameNumber &+= 1
    return out
  }

  /// One decode target, two templates: without references, and referring to the frame before. No chains, no sizes.
  private static let structure: [UInt8] = {
    var bits = [1, 0, 0, 0, 0]
    func put(_ value: Int, _ count: Int) {
      for shift in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> shift & 1) }
    }
    put(0, 6)
    put(0, 5)
    put(0, 2)
    put(3, 2)
    put(2, 2)
    put(2, 2)
    put(0, 1)
    put(1, 1)
    put(0, 4)
    put(0, 1)
    put(0, 1)
    put(0, 1)
    while bits.count % 8 != 0 { bits.append(0) }
    return stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
    }
  }()
}
