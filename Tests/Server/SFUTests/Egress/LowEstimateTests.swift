import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Low estimates", .tellsSeeds)
struct LowEstimateTests {
  @Test("a receiver's estimate below the rate of its audio doesn't stop its video")
  func audioAlone() throws {
    let meeting = try VirtualMeeting(seed: 4)
    meeting.router.dividesBandwidth = true
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    ben.sendsNacks = false
    let codecs = [
      NegotiatedCodec(payloadType: PayloadType(rawValue: 96), codec: .vp8, feedback: [.pictureLoss, .remb])
    ]
    let microphone = ann.publish("t_1", mid: "0", .audio, ssrc: 1_000, announce: true)
    let camera = ann.publish("t_2", mid: "1", .video, ssrc: 2_000, announce: true)
    meeting.router.attach(microphone.publication, to: ben.slot("6", .audio, ssrc: 5_000))
    meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 6_000, codecs: codecs))
    microphone.packetSize = 200
    camera.packetsPerFrame = 1
    camera.packetSize = 250
    camera.interval = .milliseconds(66)
    microphone.start()
    camera.start()
    meeting.run(for: .seconds(2))
    try report(.kilobits(10), of: 6_000, meeting, ben)
    meeting.run(for: .seconds(3))
    let bandwidth = meeting.router.bandwidth(of: ben.member)
    #expect(bandwidth.isLimited && bandwidth.audio > .kilobits(80))
    let before = try #require(ben.streams[6_000]).arrivals
    meeting.run(for: .seconds(10))
    // 15 frames a second, each of them a packet.
    #expect(try #require(ben.streams[6_000]).arrivals - before > 140)
    #expect(meeting.router.counters.pacedDrops == 0)
  }

  private func report(_ rate: DataRate, of ssrc: UInt32, _ meeting: VirtualMeeting, _ client: VirtualClient) throws {
    var bytes = [UInt8](repeating: 0, count: 200)
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    let media = [SSRC(rawValue: ssrc)]
    try writer.append(remb: rate, ssrcs: media.span, sender: SSRC(rawValue: 1), into: &span)
    meeting.receive(Array(bytes[..<writer.length]), client)
  }
}
