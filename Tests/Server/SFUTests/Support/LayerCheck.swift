import Basics
import Testing

@testable import RTC
@testable import SFU

/// One publisher, one receiver, and what the receiver can make of what it gets.
final class LayerRig {
  let meeting: VirtualMeeting
  let ann: VirtualClient
  let ben: VirtualClient
  let slot: Subscription
  private(set) var sources: [VirtualSource] = []

  /// One stream with layers inside.
  init(
    _ kind: LayeredShape.Kind, spatial: Int = 1, temporal: Int = 1, isIndependent: Bool = false, seed: UInt64 = 1
  ) throws {
    meeting = try VirtualMeeting(seed: seed)
    ann = try meeting.join("ann")
    ben = try meeting.join("ben")
    let codecs = Self.codecs(kind)
    let source = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, codecs: codecs)
    let shape = LayeredShape(kind, spatial: spatial, temporal: temporal, width: 1_280, height: 720)
    shape.isIndependent = isIndependent
    source.shape = shape
    sources = [source]
    slot = ben.slot("7", .video, ssrc: 5_000, codecs: codecs)
    meeting.router.attach(source.publication, to: slot)
  }

  /// Simulcast: three streams of 320×180, 640×360 and 1280×720 in the order of `rids`, the largest last.
  init(
    simulcast kind: LayeredShape.Kind, temporal: Int = 1, rids: [String] = ["q", "h", "f"], seed: UInt64 = 1
  ) throws {
    meeting = try VirtualMeeting(seed: seed)
    ann = try meeting.join("ann")
    ben = try meeting.join("ben")
    let codecs = Self.codecs(kind)
    sources = ann.publishSimulcast("t_1", mid: "0", rids: rids, ssrc: 1_000, codecs: codecs)
    slot = ben.slot("7", .video, ssrc: 5_000, codecs: codecs)
    // The encoder sends the smallest first, whatever the offer's order.
    sources.sort {
      "qhf".firstIndex(of: Character($0.ridOnWire ?? "")) ?? "q".startIndex < "qhf".firstIndex(
        of: Character($1.ridOnWire ?? "")) ?? "q".startIndex
    }
    for (index, source) in sources.enumerated() {
      source.shape = LayeredShape(
        kind, source: UInt8(index), temporal: temporal, width: 320 << index, height: 180 << index)
      source.shape?.packetSize = 200 + 250 * index
      source.sequence = UInt16(20_000 * index + 700)
      source.pictureID = UInt16(1_000 * index + 50)
      source.tl0 = UInt8(70 * index)
    }
    meeting.router.attach(sources[0].publication, to: slot)
  }

  static func codecs(_ kind: LayeredShape.Kind) -> [NegotiatedCodec] {
    let codec: Codec =
      switch kind {
      case .vp8: .vp8
      case .vp9, .vp9WithDescriptor: .vp9
      case .h264: .h264
      case .descriptor: .av1
      }
    return [
      NegotiatedCodec(
        payloadType: PayloadType(rawValue: 96), codec: codec, rtxPayloadType: PayloadType(rawValue: 97), feedback: .all)
    ]
  }

  var publication: Publication { sources[0].publication }
  var stream: VirtualReceiver { ben.streams[5_000] ?? VirtualReceiver(ssrc: 0, kind: .video, now: .zero) }
  func start() { for source in sources { source.start() } }
  func run(_ milliseconds: Int64) { meeting.run(for: .milliseconds(milliseconds)) }
  func target(_ spatial: UInt8, _ temporal: UInt8) {
    meeting.router.setTarget(LayerIndex(spatial: spatial, temporal: temporal), of: slot)
  }
  func wants(_ width: Int, _ height: Int, _ frameRate: Int = 0) {
    meeting.router.setWanted(width: width, height: height, frameRate: frameRate, slot, now: meeting.now)
  }
  /// Lets what is on its way arrive, with links that lose nothing.
  func settle() {
    meeting.up = LinkConditions()
    meeting.down = LinkConditions()
    run(1_500)
  }

  /// The frames since `start`, one by one.
  func frames(since start: Instant = .zero) -> [ReceivedFrame] {
    ReceivedFrame.all(stream).filter { $0.at >= start }
  }
}

/// A frame as a receiver has it.
struct ReceivedFrame {
  var mark: FrameMark
  var at: Instant
  var timestamp: UInt32
  /// All its packets came.
  var isComplete: Bool
  /// All that it needs came, too.
  var isDecodable: Bool

  private struct Key: Hashable {
    var source: UInt8
    var frame: Int
  }

  static func all(_ stream: VirtualReceiver) -> [ReceivedFrame] {
    var parts: [Key: Int] = [:]
    var order: [(FrameMark, VirtualReceiver.Packet)] = []
    for packet in stream.ordered {
      guard let mark = FrameMark(packet.payload), !packet.payload.isEmpty else { continue }
      let key = Key(source: mark.source, frame: mark.frame)
      parts[key, default: 0] += 1
      if parts[key] == 1 { order.append((mark, packet)) }
    }
    var decodable: Set<Key> = []
    return order.map { mark, packet in
      let key = Key(source: mark.source, frame: mark.frame)
      let isComplete = parts[key] == Int(mark.parts)
      let isDecodable =
        isComplete && mark.needs.allSatisfy { decodable.contains(Key(source: mark.source, frame: $0)) }
      if isDecodable { decodable.insert(key) }
      return ReceivedFrame(
        mark: mark, at: packet.at, timestamp: packet.timestamp, isComplete: isComplete, isDecodable: isDecodable)
    }
  }
}

/// Checks what a decoder relies on: numbers without gap or repeat, time that goes on, frames whose references are
/// there.
func expectContinuous(
  _ stream: VirtualReceiver, pictures: Bool = false, cutFrames: Int = 0, _ comment: String = "",
  location: SourceLocation = #_sourceLocation
) {
  #expect(stream.missing == 0, "\(comment): \(stream.missing) numbers never came", sourceLocation: location)
  #expect(stream.conflicts == 0, "\(comment): numbers were used twice", sourceLocation: location)
  var last: VirtualReceiver.Packet?
  for packet in stream.ordered where !packet.payload.isEmpty {
    if let last {
      let ticks = Int32(bitPattern: packet.timestamp &- last.timestamp)
      #expect(ticks >= 0 && ticks < 90_000 * 4, "\(comment): time went on by \(ticks)", sourceLocation: location)
      if pictures {
        let step = (packet.pictureID - last.pictureID) & 0x7FFF
        #expect(
          step == (ticks == 0 ? 0 : 1), "\(comment): picture \(last.pictureID) then \(packet.pictureID)",
          sourceLocation: location)
        let tl0 = (packet.tl0 - last.tl0) & 0xFF
        #expect(tl0 <= 1, "\(comment): TL0PICIDX \(last.tl0) then \(packet.tl0)", sourceLocation: location)
      }
    }
    last = packet
  }
  let frames = ReceivedFrame.all(stream)
  let cut = frames.count { !$0.isComplete }
  #expect(cut <= cutFrames, "\(comment): \(cut) of \(frames.count) frames are cut", sourceLocation: location)
  let broken = frames.filter { $0.isComplete && !$0.isDecodable }
  #expect(
    broken.isEmpty,
    "\(comment): \(broken.count) of \(frames.count) frames miss what they need, first \(String(describing: broken.first?.mark))",
    sourceLocation: location)
}
