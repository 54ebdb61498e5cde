import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Sender reports", .tellsSeeds)
struct SenderReportTests {
  /// A camera and a microphone, in the slots with the SSRCs 5000 and 5010.
  private func publish(
    _ sender: VirtualClient, to receiver: VirtualClient, in meeting: VirtualMeeting
  ) -> (camera: VirtualSource, microphone: VirtualSource) {
    let camera = sender.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let microphone = sender.publish("t_2", mid: "1", .audio, ssrc: 3_000)
    meeting.router.attach(camera.publication, to: receiver.slot("7", .video, ssrc: 5_000))
    meeting.router.attach(microphone.publication, to: receiver.slot("8", .audio, ssrc: 5_010))
    return (camera, microphone)
  }

  @Test("a participant's audio and video stay within 1 ms of each other (RFC 3550 6.4.1)")
  func lipSync() throws {
    let meeting = try VirtualMeeting(seed: 3)
    meeting.up.jitter = .milliseconds(8)
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let (camera, microphone) = publish(ann, to: ben, in: meeting)
    microphone.start()
    meeting.run(for: .milliseconds(1_234))
    camera.start()
    meeting.run(for: .seconds(10))

    // The instant of capture of a media packet, as the receiver computes it from the newest report.
    func capture(_ client: VirtualClient, _ ssrc: UInt32, _ rate: UInt32, _ packet: VirtualReceiver.Packet) throws
      -> NTPTime
    {
      let report = try #require(client.senderReports[ssrc]?.last).0
      return SenderReportMapping(report, clockRate: rate).ntpTime(of: RTPTimestamp(rawValue: packet.timestamp))
    }
    let video = try #require(ben.streams[5_000]?.ordered.last)
    let audio = try #require(ben.streams[5_010]?.ordered.last)
    // Both sources stamp frames with the same clock, at known instants of virtual time.
    let videoTruth = camera.nextFrame - camera.interval
    let audioTruth = microphone.nextFrame - microphone.interval
    let videoSent = try capture(ben, 5_000, 90_000, video)
    let audioSent = try capture(ben, 5_010, 48_000, audio)
    let claimed = videoSent - audioSent
    // The last packets that arrived may be one frame older than the last that were sent.
    let truth = videoTruth - audioTruth
    let frames: [TimeSpan] = [
      .zero, camera.interval, .zero - microphone.interval, camera.interval - microphone.interval,
    ]
    let skew = frames.map { abs((claimed - (truth - $0)).microseconds) }.min() ?? .max
    #expect(skew < 1_000, "skew of \(skew) µs")
  }

  @Test("the mapping follows when a slot's publication changes")
  func afterSwitch() throws {
    let meeting = try VirtualMeeting(seed: 3)
    let ann = try meeting.join("ann")
    let eve = try meeting.join("eve")
    let ben = try meeting.join("ben")
    let first = ann.publish("t_1", mid: "0", .audio, ssrc: 1_000)
    let second = eve.publish("t_2", mid: "0", .audio, ssrc: 2_000)
    second.clockError = .seconds(42)
    let slot = ben.slot("7", .audio, ssrc: 5_000)
    meeting.router.attach(first.publication, to: slot)
    first.start()
    meeting.run(for: .seconds(4))
    second.start()
    meeting.router.attach(second.publication, to: slot)
    meeting.run(for: .seconds(4))
    let report = try #require(ben.senderReports[5_000]?.last)
    let last = try #require(ben.streams[5_000]?.ordered.last)
    let mapped = SenderReportMapping(report.0, clockRate: 48_000).ntpTime(of: RTPTimestamp(rawValue: last.timestamp))
    let sent = meeting.router.clock.time(at: last.at)
    // Two delays of 10 ms, and the first report's delay in the offset.
    #expect(abs((mapped - sent).milliseconds) <= 40)
  }

  @Test(
    "after a participant's clock is set, its audio and video are in step again",
    arguments: [TimeSpan.seconds(3_600), .seconds(-86_400), .milliseconds(1_500)])
  func clockSet(step: TimeSpan) throws {
    let meeting = try VirtualMeeting(seed: 3)
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let (camera, microphone) = publish(ann, to: ben, in: meeting)
    camera.start()
    microphone.start()
    meeting.run(for: .seconds(5))
    for source in [camera, microphone] { source.clockError = source.clockError + step }
    meeting.run(for: .seconds(10))
    /// How far the newest report of a slot is off the time at which its packets were sent.
    func error(_ ssrc: UInt32, _ rate: UInt32) throws -> TimeSpan {
      let report = try #require(ben.senderReports[ssrc]?.last).0
      let last = try #require(ben.streams[ssrc]?.ordered.last)
      let mapped = SenderReportMapping(report, clockRate: rate).ntpTime(of: RTPTimestamp(rawValue: last.timestamp))
      return mapped - meeting.router.clock.time(at: last.at)
    }
    let (video, audio) = (try error(5_000, 90_000), try error(5_010, 48_000))
    #expect(abs((video - audio).milliseconds) <= 40, "\(video) and \(audio)")
    // A small step isn't followed: both streams have it, and receivers compare nothing else.
    #expect(abs(audio.milliseconds) <= (step == .milliseconds(1_500) ? 1_540 : 60), "\(audio)")
  }

  @Test("the round-trip time comes from what receivers report (RFC 3550 6.4.1)")
  func roundTrip() throws {
    let meeting = try VirtualMeeting()
    meeting.up.delay = .milliseconds(30)
    meeting.down.delay = .milliseconds(50)
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let microphone = ann.publish("t_1", mid: "0", .audio, ssrc: 1_000)
    meeting.router.attach(microphone.publication, to: ben.slot("7", .audio, ssrc: 5_000))
    microphone.start()
    meeting.run(for: .seconds(6))
    let roundTrip = try #require(ben.member.egress.roundTrip)
    #expect(abs(roundTrip.milliseconds - 80) <= 3)
  }
}
