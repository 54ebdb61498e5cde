import Basics
import RTC
import Transport

/// A stream that a load client sends: a trace of a browser's packets, replayed in a loop. VP8 or Opus in form, with the
/// time of sending in each packet.
final class LoadPublication {
  let mid: MID
  let kind: MediaKind
  private(set) var ssrc = SSRC(rawValue: 0)
  private(set) var nextTime = Instant.distantFuture
  var wantsKeyframe = true

  private let trace: PacketTrace
  private let level: UInt8
  private var index = 0
  private var roundStart = Instant.zero
  private var roundTimestamp = UInt32.random(in: 0...UInt32.max)
  private var sequence = SequenceNumber(rawValue: UInt16.random(in: 0...UInt16.max))
  private var pictureID = UInt16.random(in: 0...0x7FFF)
  private var startsFrame = true
  private var isKeyframe = true
  private var payloadType = PayloadType(rawValue: 0)
  private var extensions = HeaderExtensionMap()
  private let midText: HeaderExtensionText?
  private var header = [UInt8](repeating: 0, count: 128)
  private var payload = [UInt8](repeating: 0x5A, count: 1_500)

  init(mid: MID, kind: MediaKind, trace: PacketTrace, level: UInt8) {
    self.mid = mid
    self.kind = kind
    self.trace = trace
    self.level = level
    midText = HeaderExtensionText(mid.rawValue)
  }

  /// The place of the time in the payload: behind the first byte of audio, or behind the VP8 descriptor (4 bytes) and a
  /// keyframe's header (10).
  static func stampOffset(_ kind: MediaKind) -> Int { kind == .audio ? 1 : 14 }

  func start(_ peer: PeerConnection, _ now: Instant) {
    guard let media = peer.media.first(where: { $0.mid == mid }), let source = media.localSource else { return }
    ssrc = source.ssrc
    payloadType = media.codecs.first { $0.codec == (kind == .audio ? .opus : .vp8) }?.payloadType ?? payloadType
    extensions = media.extensions
    // Publishers do not beat in step.
    roundStart = now + .microseconds(Int64.random(in: 0..<20_000))
    nextTime = roundStart
  }

  /// Writes the next packet, protected, and moves on; nil when it cannot be written.
  func write(_ sender: SRTPSender, _ transportSequence: SequenceNumber, into output: inout MutableSpan<UInt8>) -> Int? {
    let packet = trace.packets[index]
    defer { advance(packet) }
    var writer = RTPHeaderWriter()
    var head = header.mutableSpan
    do {
      try writer.begin(
        payloadType: payloadType, marker: packet.marker, sequenceNumber: sequence,
        timestamp: RTPTimestamp(rawValue: roundTimestamp &+ packet.timestamp), ssrc: ssrc, into: &head)
      if let id = extensions[.mid], let midText { try writer.append(id: id, text: midText, into: &head) }
      if let id = extensions[.transportSequenceNumber] {
        try writer.append(id: id, uint16: transportSequence.rawValue, into: &head)
      }
      if kind == .audio, let id = extensions[.audioLevel] {
        try writer.append(id: id, uint8: 0x80 | level, into: &head)
      }
      let headerLength = try writer.finish(into: &head)
      let size = fillPayload(packet)
      return try sender.protectRTP(
        header: header.span.extracting(0..<headerLength), payload: payload.span.extracting(0..<size), into: &output)
    } catch {
      return nil
    }
  }

  private func fillPayload(_ packet: PacketTrace.Packet) -> Int {
    let offset = Self.stampOffset(kind)
    if kind == .audio {
      payload[0] = 0x78
    } else {
      // RFC 7741 section 4.2: X and S, then I, then a 15-bit picture id; RFC 6386 section 9.1 for the frame header.
      payload[0] = startsFrame ? 0x90 : 0x80
      payload[1] = 0x80
      payload[2] = 0x80 | UInt8(truncatingIfNeeded: pictureID >> 8)
      payload[3] = UInt8(truncatingIfNeeded: pictureID)
      if startsFrame { isKeyframe = wantsKeyframe || packet.keyframe }
      let frame: [UInt8] = [isKeyframe ? 0x10 : 0x11, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0x68, 0x01]
      for (index, byte) in frame.enumerated() { payload[4 + index] = startsFrame ? byte : 0 }
      if startsFrame { wantsKeyframe = false }
    }
    PacketStamp.write(MonotonicClock.now, to: &payload, at: offset)
    return min(max(packet.payloadSize, offset + PacketStamp.length), payload.count)
  }

  private func advance(_ packet: PacketTrace.Packet) {
    sequence = sequence.advanced(by: 1)
    startsFrame = packet.marker
    if packet.marker { pictureID = (pictureID &+ 1) & 0x7FFF }
    index += 1
    if index == trace.packets.count {
      index = 0
      roundStart = roundStart + trace.duration
      roundTimestamp = roundTimestamp &+ trace.timestampSpan
    }
    nextTime = roundStart + trace.packets[index].time
  }
}
