import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

/// A sender that goes over to another of its codecs.
@Suite("Changes of codec", .tellsSeeds)
struct CodecChangeTests {
  private static let vp9 = NegotiatedCodec(
    payloadType: PayloadType(rawValue: 98), codec: .vp9, rtxPayloadType: PayloadType(rawValue: 99), feedback: .all)
  private static let vp8 = NegotiatedCodec(
    payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97), feedback: .all)

  /// Ann's camera in two codecs, and who receives it in the given ones.
  private final class Rig {
    let meeting: VirtualMeeting
    let source: VirtualSource
    var slots: [Subscription] = []
    private(set) var reports: [Codec] = []

    init(_ receivers: [[NegotiatedCodec]], seed: UInt64 = 1) throws {
      meeting = try VirtualMeeting(seed: seed)
      let ann = try meeting.join("ann")
      source = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, codecs: [CodecChangeTests.vp9, CodecChangeTests.vp8])
      send(CodecChangeTests.vp9)
      for (index, codecs) in receivers.enumerated() {
        let slot = try meeting.join("receiver \(index)").slot("7", .video, ssrc: 5_000, codecs: codecs)
        meeting.router.attach(source.publication, to: slot)
        slots.append(slot)
      }
    }

    /// From now on pictures come in `codec`, VP9 in three spatial layers, with a keyframe first as from any encoder.
    func send(_ codec: NegotiatedCodec) {
      source.payloadType = codec.payloadType
      source.shape = LayeredShape(
        codec.codec == .vp9 ? .vp9 : .vp8, spatial: codec.codec == .vp9 ? 3 : 1, temporal: 1, width: 1_280, height: 720)
      source.wantsKeyframe = true
    }

    /// Lets time pass while pictures are sent, and some more in which all arrive.
    func run(_ milliseconds: Int64, settles: Bool = false) {
      meeting.run(for: .milliseconds(milliseconds))
      if settles {
        let next = source.nextFrame
        source.nextFrame = .distantFuture
        meeting.run(for: .milliseconds(100))
        source.nextFrame = max(next, meeting.now)
      }
      while let event = meeting.router.pollEvent() {
        if case .codecChanged(_, let codec) = event { reports.append(codec.codec) }
      }
    }

    func packets(of receiver: Int) -> [VirtualReceiver.Packet] {
      meeting.clients[receiver + 1].streams[5_000]?.ordered ?? []
    }
  }

  @Test("the router reports the first codec, and each that the sender goes over to")
  func reports() throws {
    let rig = try Rig([[Self.vp8]])
    rig.source.start()
    rig.run(1_000)
    #expect(rig.reports == [.vp9])
    #expect(rig.packets(of: 0).isEmpty, "the receiver has no decoder for it")
    rig.send(Self.vp8)
    rig.run(1_000)
    rig.send(Self.vp9)
    rig.run(1_000)
    #expect(rig.reports == [.vp9, .vp8, .vp9])
  }

  @Test("a sender that changes its codec each frame is reported twice a second at most")
  func flapping() throws {
    let rig = try Rig([[Self.vp8, Self.vp9]])
    rig.source.start()
    for picture in 0..<150 {
      rig.send(picture % 2 == 0 ? Self.vp8 : Self.vp9)
      rig.run(33)
    }
    #expect((1...11).contains(rig.reports.count))
  }

  @Test(
    "receivers follow a codec change and back without a gap, with whole frames",
    arguments: [1, 2] as [UInt64])
  func follows(seed: UInt64) throws {
    let rig = try Rig([[Self.vp8, Self.vp9], [Self.vp9], [Self.vp8]], seed: seed)
    rig.source.start()
    rig.run(1_000, settles: true)
    #expect(rig.slots[0].current?.spatial == 2)
    let counts = (0..<3).map { rig.packets(of: $0).count }
    #expect(counts[0] > 50 && counts[1] == counts[0] && counts[2] == 0)

    rig.send(Self.vp8)
    rig.run(1_000, settles: true)
    #expect(rig.slots[0].current == .lowest, "the layers of VP9 are no layers of VP8")
    #expect(rig.packets(of: 1).count == counts[1], "who takes VP9 alone gets nothing of it")
    #expect(rig.packets(of: 2).count > 50)
    #expect(rig.packets(of: 0).count - counts[0] == rig.packets(of: 2).count)

    rig.send(Self.vp9)
    rig.run(1_000, settles: true)
    #expect(rig.slots[0].current?.spatial == 2)
    #expect(rig.packets(of: 1).count > counts[1] + 50)
    for receiver in 0..<3 {
      let numbers = rig.packets(of: receiver).map(\.sequence)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
      let times = rig.packets(of: receiver).map(\.timestamp)
      #expect(zip(times, times.dropFirst()).allSatisfy { Int32(truncatingIfNeeded: $1 &- $0) >= 0 })
    }
  }
}
