import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Packets beyond measure", .tellsSeeds)
struct LargePacketTests {
  @Test(
    "fragmented packets are dropped and counted, and no receiver gets a fragment",
    arguments: [MediaKind.audio, .video])
  func tooLarge(kind: MediaKind) throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let source = ann.publish("t_1", mid: "0", kind, ssrc: 1_000, announce: true)
    meeting.router.attach(source.publication, to: ben.slot("7", kind, ssrc: 5_000))
    source.packetsPerFrame = 1
    source.packetSize = 1_400
    source.start()
    meeting.run(for: .milliseconds(500))
    let stream = try #require(ben.streams[5_000])
    let before = stream.packets.count
    #expect(before > 10)
    #expect(meeting.router.counters[.tooLarge] == 0)
    source.packetSize = Ingress.maximumPacket
    meeting.run(for: .milliseconds(500))
    #expect(meeting.router.counters[.tooLarge] > 10)
    #expect(stream.ordered.allSatisfy { $0.length <= Ingress.maximumPacket + 100 && $0.payload.count <= 1_400 })
    #expect(stream.packets.count <= before + 2)
    source.packetSize = 1_000
    source.wantsKeyframe = true
    meeting.run(for: .milliseconds(500))
    #expect(stream.packets.count > before + 10)
  }

  @Test("of more than the store holds each packet leaves with its own bytes or not at all")
  func overwritten() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let voice = ann.publish("a_1", mid: "0", .audio, ssrc: 1_000, announce: true)
    meeting.router.attach(voice.publication, to: ben.slot("7", .audio, ssrc: 5_000))
    voice.start()
    meeting.run(for: .milliseconds(100))
    voice.stop()
    meeting.run(for: .milliseconds(50))
    let before = try #require(ben.streams[5_000]).packets.count
    // Fewer than let a worker flush in between.
    for number in 0..<60 { voice.send([UInt8](repeating: UInt8(number + 1), count: 1_400)) }
    let first = voice.sequence &- 60
    for bytes in meeting.takeUploads(of: ann) { meeting.receive(bytes, ann) }
    meeting.flush()
    meeting.run(for: .milliseconds(50))
    let stream = try #require(ben.streams[5_000])
    let dropped = Int(meeting.router.counters[.overload])
    #expect(dropped > 0, "the store held all of it, so nothing is shown")
    #expect(stream.packets.count - before == 60 - dropped)
    // Those that came are the last ones, whole.
    let numbers = stream.ordered.suffix(60 - dropped).map { Int($0.payload[0]) }
    #expect(numbers == Array((dropped + 1)...60), "from number \(first)")
    #expect(stream.ordered.suffix(60 - dropped).allSatisfy { Set($0.payload).count == 1 })
  }
}
