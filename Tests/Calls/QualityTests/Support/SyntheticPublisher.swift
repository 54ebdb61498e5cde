import Basics
import NetworkEmulator

@testable import RTC
@testable import SFU

/// The fields in each synthetic video packet behind its VP8 descriptor, so that a receiver knows which frames it can
/// decode.
struct FrameFields {
  static let offset = 7
  static let length = 15

  var layer: UInt8
  var packet: UInt8
  var packets: UInt8
  var number: UInt32
  /// The frame it refers to; itself for a keyframe.
  var reference: UInt32
  /// Milliseconds since the beginning.
  var captured: UInt32

  func write(_ payload: inout [UInt8]) {
    payload[Self.offset] = layer
    payload[Self.offset + 1] = packet
    payload[Self.offset + 2] = packets
    for (index, value) in [number, reference, captured].enumerated() {
      for byte in 0..<4 {
        payload[Self.offset + 3 + index * 4 + byte] = UInt8(truncatingIfNeeded: value >> UInt32(24 - byte * 8))
      }
    }
  }

  init(layer: UInt8, packet: UInt8, packets: UInt8, number: UInt32, reference: UInt32, captured: UInt32) {
    self.layer = layer
    self.packet = packet
    self.packets = packets
    self.number = number
    self.reference = reference
    self.captured = captured
  }

  init?(_ payload: ArraySlice<UInt8>) {
    let start = payload.startIndex + Self.offset
    guard payload.count >= Self.offset + Self.length else { return nil }
    func word(_ index: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 << 8 | UInt32(payload[start + 3 + index * 4 + $1]) }
    }
    layer = payload[start]
    packet = payload[start + 1]
    packets = payload[start + 2]
    number = word(0)
    reference = word(1)
    captured = word(2)
  }
}

/// A participant that sends a camera in simulcast layers, 25 frames a second in two temporal layers, and sound of 50
/// packets a second.
final class SyntheticPublisher {
  struct Layer {
    var ssrc: UInt32
    var kilobits: Int
    var rid: HeaderExtensionText?
    var sequence: UInt16
    var pictureID: UInt16 = 0
    var tl0: UInt8 = 0
    var frames: UInt32 = 0
    var lastBase: UInt32 = 0
    var wantsKeyframe = true
    var keyframes = 0
    var isActive = true
    /// When it begins: encoders start their larger layers later.
    var begins: Instant
  }

  /// The time between two pictures.
  var frameInterval = TimeSpan.milliseconds(40)
  /// How many times the mean picture a keyframe is.
  var keyframeWeight = 5.0
  static let soundInterval = TimeSpan.milliseconds(20)
  private static let largest = 1_130

  let index: Int
  let member: Member
  let video: Publication?
  let audio: Publication?
  private(set) var layers: [Layer]
  /// Whether every other picture can be left out.
  var hasTemporalLayers = true
  private var nextFrame: Instant
  private var nextSound: Instant
  private let start: Instant
  /// How long a layer takes to come to its rate; it begins with a quarter, as an encoder does that learns what its own
  /// path takes.
  private let ramp: TimeSpan
  private var random: EmulatorRandom
  private var transport: UInt16 = 0
  private var soundSequence: UInt16 = 500
  /// Whether it sends each sound twice, as browsers do (RED, RFC 2198).
  private let addsRedundancy: Bool
  private var lastSound: [UInt8] = []
  private let videoMID: HeaderExtensionText?
  private let audioMID: HeaderExtensionText?

  init(
    index: Int, member: Member, router: Router, layers rates: [Int], hasAudio: Bool, isScreenShare: Bool,
    ramp: TimeSpan, start: Instant, seed: UInt64, addsRedundancy: Bool = false
  ) {
    self.index = index
    self.addsRedundancy = addsRedundancy
    self.member = member
    self.start = start
    self.ramp = ramp
    random = EmulatorRandom(seed: seed)
    let rids = ["q", "h", "f"].suffix(rates.count)
    layers = zip(rates, rids).enumerated().map { number, pair in
      Layer(
        ssrc: UInt32(10_000 * (index + 1) + number * 10), kilobits: pair.0,
        rid: rates.count > 1 ? HeaderExtensionText(pair.1) : nil, sequence: UInt16(1_000 * (number + 1)),
        begins: start + TimeSpan(nanoseconds: ramp.nanoseconds * Int64(number) / 4))
    }
    videoMID = HeaderExtensionText("0")
    audioMID = HeaderExtensionText("1")
    nextFrame = start + .milliseconds(Int64(index * 7))
    nextSound = hasAudio ? start + .milliseconds(Int64(index * 3)) : .distantFuture
    func media(_ mid: String, _ kind: MediaKind, _ codecs: [NegotiatedCodec], _ rids: [RID]) -> NegotiatedMedia {
      NegotiatedMedia(
        mid: MID(rawValue: mid), index: 0, kind: kind, role: .receive, codecs: codecs,
        extensions: Formats.extensions(), remoteSources: [], remoteStreamIDs: [], rids: rids, localSource: nil,
        localStreamID: nil, usesReducedSizeRTCP: true)
    }
    video = router.publish(
      PublicationID(rawValue: "v\(index)"),
      media: media("0", .video, Formats.video(), rates.count > 1 ? rids.map { RID(rawValue: $0) } : []),
      isMuted: false, isScreenShare: isScreenShare, by: member)
    audio =
      hasAudio
      ? router.publish(
        PublicationID(rawValue: "a\(index)"), media: media("1", .audio, Formats.audio(redundancy: addsRedundancy), []),
        isMuted: false, by: member) : nil
  }

  /// Sends a layer no longer, as an encoder does that has no room for it, or again.
  func setActive(_ isActive: Bool, layer: Int) {
    layers[layer].isActive = isActive
    layers[layer].wantsKeyframe = true
  }

  /// Lets a layer begin so long after the meeting, as browsers begin with the larger ones once they know their own
  /// path.
  func begin(layer: Int, after span: TimeSpan) { layers[layer].begins = start + span }

  var deadline: Instant { min(nextFrame, nextSound) }

  func send(now: Instant, to router: ([UInt8]) -> Void) {
    if nextSound <= now {
      sendSound(now, router)
      nextSound = nextSound + Self.soundInterval
    }
    if nextFrame <= now {
      for layer in layers.indices { sendFrame(layer, now, router) }
      nextFrame = nextFrame + frameInterval
    }
  }

  private func sendSound(_ now: Instant, _ router: ([UInt8]) -> Void) {
    let number = UInt32((now - start).milliseconds / 20)
    var payload = [UInt8](repeating: 0x55, count: 80)
    for byte in 0..<4 { payload[byte] = UInt8(truncatingIfNeeded: number >> UInt32(24 - byte * 8)) }
    let plain = payload
    if addsRedundancy, !lastSound.isEmpty {
      // One block of 80 bytes, 960 samples earlier, then the packet's own.
      payload = [0x80 | 111, 15, 0, 80, 111] + lastSound + plain
    }
    let type: UInt8 = payload.count > plain.count ? 63 : 111
    lastSound = plain
    router(
      packet(
        ssrc: UInt32(10_000 * (index + 1) + 900), type: type, sequence: soundSequence, timestamp: number &* 960,
        audioMID,
        nil, marker: false, payload, level: 30))
    soundSequence &+= 1
  }

  private func sendFrame(_ layer: Int, _ now: Instant, _ router: ([UInt8]) -> Void) {
    guard layers[layer].isActive, now >= layers[layer].begins else { return }
    let isKeyframe = layers[layer].wantsKeyframe
    layers[layer].wantsKeyframe = false
    if isKeyframe { layers[layer].keyframes += 1 }
    // Even numbers are of the base layer.
    layers[layer].frames &+= hasTemporalLayers ? 1 : 2
    let number = layers[layer].frames
    let isBase = isKeyframe || number % 2 == 0
    let reference = isKeyframe ? number : layers[layer].lastBase
    if isBase {
      layers[layer].lastBase = number
      layers[layer].tl0 &+= 1
    }
    layers[layer].pictureID = (layers[layer].pictureID + 1) & 0x7FFF
    let share = ramp > .zero ? min(0.25 + 0.75 * (now - layers[layer].begins).seconds / ramp.seconds, 1) : 1
    let mean = Double(layers[layer].kilobits) * share * 1_000 * frameInterval.seconds / 8
    let weight = isKeyframe ? keyframeWeight : hasTemporalLayers ? isBase ? 1.15 : 0.75 : 0.95
    let size = Int(mean * weight * (0.8 + 0.4 * random.unit()))
    let count = max(1, (size + Self.largest - 1) / Self.largest)
    let captured = now - start
    for part in 0..<count {
      var payload = [UInt8](repeating: 0xAA, count: max(size / count, 40))
      payload[0] = 0x80 | (part == 0 ? 0x10 : 0)
      payload[1] = 0xE0
      payload[2] = 0x80 | UInt8(layers[layer].pictureID >> 8)
      payload[3] = UInt8(truncatingIfNeeded: layers[layer].pictureID)
      payload[4] = layers[layer].tl0
      payload[5] = isBase ? 0 : 0x60
      payload[6] = isKeyframe ? 0x10 : 0x11
      FrameFields(
        layer: UInt8(layer), packet: UInt8(part), packets: UInt8(count), number: number, reference: reference,
        captured: UInt32(captured.milliseconds)
      ).write(&payload)
      router(
        packet(
          ssrc: layers[layer].ssrc, type: 96, sequence: layers[layer].sequence,
          timestamp: UInt32(truncatingIfNeeded: captured.milliseconds * 90), videoMID, layers[layer].rid,
          marker: part == count - 1, payload, level: nil))
      layers[layer].sequence &+= 1
    }
  }

  private func packet(
    ssrc: UInt32, type: UInt8, sequence: UInt16, timestamp: UInt32, _ mid: HeaderExtensionText?,
    _ rid: HeaderExtensionText?, marker: Bool, _ payload: [UInt8], level: UInt8?
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 96)
    var span = bytes.mutableSpan
    transport &+= 1
    let length =
      try? {
        var writer = RTPHeaderWriter()
        try writer.begin(
          payloadType: PayloadType(rawValue: type), marker: marker, sequenceNumber: SequenceNumber(rawValue: sequence),
          timestamp: RTPTimestamp(rawValue: timestamp), ssrc: SSRC(rawValue: ssrc), into: &span)
        try writer.append(id: Formats.transport, uint16: transport, into: &span)
        if let mid { try writer.append(id: Formats.mid, text: mid, into: &span) }
        if let rid { try writer.append(id: Formats.rid, text: rid, into: &span) }
        if let level { try writer.append(id: Formats.level, uint8: level, into: &span) }
        return try writer.finish(into: &span)
      }()
    return Array(bytes[..<(length ?? 0)]) + payload
  }

  /// Takes what the router asks for.
  func receiveReport(_ bytes: [UInt8]) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: bytes.span) {
      if case .pli(let pli) = message {
        for layer in layers.indices where layers[layer].ssrc == pli.mediaSSRC.rawValue {
          layers[layer].wantsKeyframe = true
        }
      }
    }
  }
}
