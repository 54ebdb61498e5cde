import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Estimates of a receiver's streams", .tellsSeeds)
struct StreamEstimateTests {
  /// Ben receives two cameras of 15 frames a second, each frame a packet, and some 110 kbit/s with everything.
  private func meeting() throws -> (VirtualMeeting, VirtualClient) {
    let meeting = try VirtualMeeting(seed: 5)
    meeting.router.dividesBandwidth = true
    let ben = try meeting.join("ben")
    ben.sendsNacks = false
    let codecs = [
      NegotiatedCodec(payloadType: PayloadType(rawValue: 96), codec: .vp8, feedback: [.pictureLoss, .remb])
    ]
    for (index, name) in ["ann", "carl"].enumerated() {
      let client = try meeting.join(name)
      let camera = client.publish("t_\(index)", mid: "1", .video, ssrc: 2_000 + UInt32(index) * 10, announce: true)
      let ssrc = 6_000 + UInt32(index) * 10
      meeting.router.attach(camera.publication, to: ben.slot("\(index)", .video, ssrc: ssrc, codecs: codecs))
      camera.packetsPerFrame = 1
      camera.packetSize = 850
      camera.interval = .milliseconds(66)
      camera.start()
    }
    meeting.run(for: .seconds(2))
    return (meeting, ben)
  }

  private func report(
    _ rate: DataRate, of sources: [UInt32], _ meeting: VirtualMeeting, _ client: VirtualClient
  ) throws {
    var bytes = [UInt8](repeating: 0, count: 200)
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    let media = sources.map { SSRC(rawValue: $0) }
    try writer.append(remb: rate, ssrcs: media.span, sender: SSRC(rawValue: 1), into: &span)
    meeting.receive(Array(bytes[..<writer.length]), client)
  }

  /// The estimate of the path to Ben, and the packets of each camera that reach him in five seconds.
  private func result(
    _ messages: [(DataRate, [UInt32])], _ meeting: VirtualMeeting, _ ben: VirtualClient
  ) throws -> (estimate: DataRate?, arrivals: [Int]) {
    var before: [Int] = []
    for second in 0..<10 {
      for (rate, sources) in messages {
        try report(rate, of: sources, meeting, ben)
        meeting.run(for: .milliseconds(1_000 / Int64(messages.count)))
      }
      if second == 4 { before = [6_000, 6_010].map { ben.streams[$0]?.arrivals ?? 0 } }
    }
    let after = [UInt32(6_000), 6_010].map { ben.streams[$0]?.arrivals ?? 0 }
    return (meeting.router.bandwidth(of: ben.member).estimate, zip(after, before).map { $0 - $1 })
  }

  @Test("a receiver that estimates each stream by itself gets all of its streams")
  func each() throws {
    let (meeting, ben) = try meeting()
    let result = try result([(.kilobits(160), [6_000]), (.kilobits(170), [6_010])], meeting, ben)
    #expect(result.estimate == .kilobits(330))
    #expect(result.arrivals.allSatisfy { $0 > 70 }, "\(result.arrivals)")
  }

  @Test("a receiver that estimates all streams together gets what that allows")
  func together() throws {
    let (meeting, ben) = try meeting()
    let result = try result([(.kilobits(160), [6_000, 6_001, 6_010, 6_011])], meeting, ben)
    #expect(result.estimate == .kilobits(160))
    #expect((70..<130).contains(result.arrivals.reduce(0, +)), "\(result.arrivals)")
  }

  @Test("estimates of streams that a receiver doesn't get change nothing beside real ones")
  func foreign() throws {
    let (meeting, ben) = try meeting()
    let result = try result([(.kilobits(330), [6_000, 6_010]), (.kilobits(30), [2_000])], meeting, ben)
    #expect(result.estimate == .kilobits(330))
    #expect(result.arrivals.allSatisfy { $0 > 70 }, "\(result.arrivals)")
  }
}
