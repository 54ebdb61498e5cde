import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

/// The numbers of what leaves under one SSRC, in the order in which it does.
private final class Departures: PacketSink {
  let ssrc: UInt32
  private let meeting: VirtualMeeting
  private(set) var sequences: [UInt16] = []

  init(_ ssrc: UInt32, _ meeting: VirtualMeeting) {
    self.ssrc = ssrc
    self.meeting = meeting
  }

  func send(_ batch: OutputBatch, to egress: Egress) {
    meeting.send(batch, to: egress)
    for run in batch.runs {
      var offset = run.offset
      while offset < run.offset + run.length {
        let next = min(offset + run.segment, run.offset + run.length)
        let bytes = (offset..<next).map { batch.bytes[$0] }
        offset = next
        guard !(192...223).contains(bytes[1]), let header = try? RTPHeader.parse(bytes.span),
          header.ssrc.rawValue == ssrc
        else { continue }
        sequences.append(header.sequenceNumber.rawValue)
      }
    }
  }
}

@Suite("Order of what is paced", .tellsSeeds)
struct PacedOrderTests {
  /// Ben gets Ann's camera over a path that just takes it, and a large picture of 40 packets has come, most of which
  /// wait.
  ///
  /// - Parameter others: Further slots that carry the same, before that one and after it.
  private func waiting(
    _ others: (before: [String], after: [String]) = ([], [])
  ) throws -> (VirtualMeeting, VirtualSource, VirtualClient, Departures) {
    let meeting = try VirtualMeeting(seed: 3)
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    ben.sendsNacks = false
    let codecs = [
      NegotiatedCodec(
        payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97),
        feedback: [.nack, .pictureLoss, .remb])
    ]
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, announce: true)
    for (index, mid) in (others.before + ["7"] + others.after).enumerated() {
      let ssrc = mid == "7" ? 5_000 : 6_000 + 10 * UInt32(index)
      meeting.router.attach(camera.publication, to: ben.slot(mid, .video, ssrc: ssrc, codecs: codecs))
    }
    camera.start()
    meeting.run(for: .milliseconds(300))
    // The receiver's estimate is known, and the wanted layers leave little room.
    ben.member.egress.writer.bandwidth.activate(.receiverEstimate)
    ben.member.egress.writer.bandwidth.nextTick = .distantFuture
    try say(.kilobits(1_200), meeting, ben)
    ben.member.egress.writer.bandwidth.setAllocated(
      .kilobits(960), wanted: .kilobits(960), paused: 0, isSatisfied: true, now: meeting.now)
    #expect(ben.member.egress.writer.bandwidth.isPacing)
    meeting.run(for: .milliseconds(300))
    camera.stop()
    meeting.run(for: .milliseconds(100))
    #expect(ben.member.egress.writer.bandwidth.queue.isEmpty)
    let departures = Departures(5_000, meeting)
    send(40, of: camera, meeting, to: departures)
    #expect(ben.member.egress.writer.bandwidth.queue.count > 10)
    return (meeting, camera, ben, departures)
  }

  /// A picture of `count` packets comes and is forwarded, as in one tick of a worker.
  private func send(_ count: Int, of camera: VirtualSource, _ meeting: VirtualMeeting, to departures: Departures) {
    camera.packetsPerFrame = count
    camera.sendFrame(meeting.now)
    camera.stop()
    for bytes in meeting.takeUploads(of: camera.client) { meeting.receive(bytes, camera.client) }
    meeting.router.flush(now: meeting.now, batch: meeting.batch, to: departures)
  }

  private func say(_ rate: DataRate, _ meeting: VirtualMeeting, _ client: VirtualClient) throws {
    var bytes = [UInt8](repeating: 0, count: 200)
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    let media = [SSRC(rawValue: 5_000)]
    try writer.append(remb: rate, ssrcs: media.span, sender: SSRC(rawValue: 1), into: &span)
    meeting.receive(Array(bytes[..<writer.length]), client)
  }

  @Test("when a report ends the pacing, waiting packets leave before new ones, at once")
  func endOfPacing() throws {
    let (meeting, camera, ben, departures) = try waiting()
    try say(.kilobits(20_000), meeting, ben)
    #expect(!ben.member.egress.writer.bandwidth.isPacing)
    send(4, of: camera, meeting, to: departures)
    #expect(meeting.router.deadline <= meeting.now, "what waits is due")
    meeting.router.handleTimeout(now: meeting.now, batch: meeting.batch, to: departures)
    #expect(departures.sequences.count == 44)
    let steps = zip(departures.sequences.dropFirst(), departures.sequences).map { $0 &- $1 }
    #expect(steps.allSatisfy { $0 == 1 }, "in order: \(departures.sequences)")
    #expect(ben.member.egress.writer.bandwidth.queue.isEmpty)
  }

  @Test(
    "when a slot is removed, what waits for the others still leaves", arguments: [(["6"], []), ([], ["8"])])
  func removed(before: [String], after: [String]) throws {
    let (meeting, _, ben, departures) = try waiting((before, after))
    let egress = ben.member.egress
    let last = UInt16(truncatingIfNeeded: ben.streams[5_000]?.highest ?? 0)
    ben.sendNack([last &- 1, last], ssrc: 5_000)
    for bytes in meeting.takeUploads(of: ben) { meeting.receive(bytes, ben) }
    #expect(egress.resends.count == 2)
    let others = before + after
    for mid in others {
      let waits = egress.writer.bandwidth.queue.count
      let bytes = egress.writer.bandwidth.queue.bytes
      meeting.router.removeSlot(try #require(ben.slots[mid]))
      #expect(
        egress.writer.bandwidth.queue.count < waits && egress.writer.bandwidth.queue.bytes < bytes,
        "its own are forgotten")
    }
    #expect(egress.writer.bandwidth.queue.count == 40 - departures.sequences.count)
    try say(.kilobits(20_000), meeting, ben)
    meeting.router.handleTimeout(now: meeting.now, batch: meeting.batch, to: departures)
    meeting.flush()
    #expect(departures.sequences.count == 40)
    let steps = zip(departures.sequences.dropFirst(), departures.sequences).map { $0 &- $1 }
    #expect(steps.allSatisfy { $0 == 1 }, "in order: \(departures.sequences)")
    #expect(meeting.router.counters.pacedDrops == 0 && meeting.router.counters.retransmissions == 2)
    #expect(egress.writer.bandwidth.queue.isEmpty && egress.writer.bandwidth.queue.bytes == 0)
    meeting.run(for: .milliseconds(50))
    #expect(ben.streams[5_000]?.retransmissionSequences.count == 2)
  }

  @Test("when a packet waited too long, video goes on with a keyframe nobody asked for")
  func tooOld() throws {
    let (meeting, camera, ben, departures) = try waiting()
    let egress = ben.member.egress
    let asked = camera.client.keyframeRequests
    let waited = egress.writer.bandwidth.queue.count
    meeting.now = meeting.now + PacingQueue.maximumWait + .milliseconds(50)
    meeting.router.handleTimeout(now: meeting.now, batch: meeting.batch, to: departures)
    #expect(meeting.router.counters.pacedDrops == UInt64(waited))
    // Frames that depend on a missing one don't leave.
    let before = departures.sequences
    send(4, of: camera, meeting, to: departures)
    #expect(departures.sequences == before)
    camera.nextFrame = meeting.now
    camera.packetsPerFrame = 4
    meeting.run(for: .milliseconds(400))
    #expect(camera.client.keyframeRequests > asked)
    let last = try #require(before.last)
    let next = try #require(
      ben.streams[5_000]?.ordered.first {
        Int16(bitPattern: UInt16(truncatingIfNeeded: $0.sequence) &- last) > 0 && !$0.isRetransmission
      })
    #expect(next.payload[1] == 0xC0 && next.payload[5] & 1 == 0, "a keyframe comes first")
  }

  @Test("packets dropped in the queue before a newer keyframe ask for no further one")
  func keyframeSince() throws {
    let (meeting, camera, ben, departures) = try waiting()
    let asked = camera.client.keyframeRequests
    meeting.now = meeting.now + .milliseconds(500)
    camera.wantsKeyframe = true
    send(8, of: camera, meeting, to: departures)
    meeting.now = meeting.now + .milliseconds(350)
    meeting.router.handleTimeout(now: meeting.now, batch: meeting.batch, to: departures)
    #expect(meeting.router.counters.pacedDrops > 10)
    #expect(ben.slots["7"]?.state == .running)
    meeting.run(for: .milliseconds(300))
    #expect(camera.client.keyframeRequests == asked)
  }
}
