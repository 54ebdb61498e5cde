public import Basics
import RTC

extension Router {
  /// How much of one RTCP datagram is acted on.
  private enum Limit {
    static let messages = 64
    static let lostPackets = 512
    static let roundTrip = TimeSpan.seconds(10)
  }

  /// Takes a decrypted RTCP datagram of `member`: reports about what it sends, and what it says as a receiver.
  public func receiveRTCP(_ datagram: Span<UInt8>, from member: Member, now: Instant) {
    counters.reportsReceived &+= 1
    member.ingress.lastArrival = now
    var reader = RTCPReader()
    var messages = 0
    var lostPackets = 0
    do {
      while messages < Limit.messages, let message = try reader.next(in: datagram) {
        messages += 1
        switch message {
        case .senderReport(let report):
          receive(report.info, member, now)
          receive(report.blocks, datagram, member, now)
        case .receiverReport(let report): receive(report.blocks, datagram, member, now)
        case .nack(let nack): receive(nack, datagram, member, now, &lostPackets)
        case .pli(let pli): keyframeRequested(pli.mediaSSRC, member, now)
        case .fir(let fir):
          var index = 0
          while index < min(fir.count, 16), let entry = fir.entry(at: index, in: datagram) {
            keyframeRequested(entry.ssrc, member, now)
            index += 1
          }
        case .remb(let remb):
          let subscriptions = member.egress.subscriptions
          member.egress.writer.bandwidth.receive(remb, in: datagram, now: now) { ssrc in
            subscriptions.contains { $0.ssrc == ssrc || $0.retransmissionSSRC == ssrc }
          }
        case .transportFeedback(let feedback):
          member.egress.feedback.add(feedback, in: datagram)
          member.egress.writer.bandwidth.receive(feedback, in: datagram, now: now)
        case .extendedReport(let report):
          if let delay = report.delay(of: member.reporter, in: datagram),
            let roundTrip = delay.roundTripTime(at: clock.time(at: now)), roundTrip < Limit.roundTrip
          {
            member.egress.measured(roundTrip: roundTrip, now: now)
          }
        case .sdes, .bye: break
        }
      }
    } catch {
      counters.malformedReports &+= 1
    }
    schedule(member)
  }

  private func receive(_ info: SenderInfo, _ member: Member, _ now: Instant) {
    guard let stream = member.ingress.stream(of: info.ssrc) else { return }
    stream.statistics.receive(senderReport: info, now: now)
    stream.noteSent(info.packetCount)
    stream.mapping = SenderReportMapping(info, clockRate: stream.clockRate)
    defer { relayReport(of: stream, member) }
    // One offset for all streams of the participant keeps them in step; it follows when the participant's clock was
    // set.
    let offset = clock.time(at: now) - info.ntp
    if let old = member.ingress.clockOffset, (offset - old).nanoseconds.magnitude < 2_000_000_000 { return }
    member.ingress.clockOffset = offset
  }

  /// Receivers on other routers synchronise audio and video by the same reports.
  private func relayReport(of stream: SourceStream, _ member: Member) {
    guard let offset = member.ingress.clockOffset else { return }
    for publication in member.ingress.publications where !publication.relays.isEmpty {
      if publication.streams.contains(where: { $0 === stream }) {
        relayReport(of: stream, of: publication, offset: offset)
      }
    }
  }

  private func receive(_ blocks: ReportBlocks, _ datagram: Span<UInt8>, _ member: Member, _ now: Instant) {
    var index = 0
    while index < blocks.count, let block = blocks.block(at: index, in: datagram) {
      index += 1
      guard let subscription = member.egress.subscription(of: block.ssrc) else { continue }
      subscription.fractionLost = block.fractionLost
      subscription.jitter = block.jitter
      subscription.hasNewReport = true
      receivedReport(block, of: subscription, member, now)
      heardLoss(of: subscription, now: now)
      if let roundTrip = block.roundTripTime(at: clock.time(at: now)), roundTrip < Limit.roundTrip {
        member.egress.measured(roundTrip: roundTrip, now: now)
        member.lastRoundTripReport = now
      }
    }
  }

  private func receive(
    _ nack: NACK, _ datagram: Span<UInt8>, _ member: Member, _ now: Instant, _ lostPackets: inout Int
  ) {
    let egress = member.egress
    guard let index = egress.subscriptions.firstIndex(where: { $0.ssrc == nack.mediaSSRC }) else { return }
    let subscription = egress.subscriptions[index]
    var numbers = nack.sequenceNumbers
    while lostPackets < Limit.lostPackets, let sequence = numbers.next(in: datagram) {
      lostPackets += 1
      egress.negativeAcknowledgement(sequence, of: subscription, index: index, now: now, &counters)
    }
    if egress.hasResends { egressHasResends(egress, now) }
  }

  private func keyframeRequested(_ ssrc: SSRC, _ member: Member, _ now: Instant) {
    guard let subscription = member.egress.subscription(of: ssrc), let publication = subscription.publication,
      !subscription.beginningAnswersRequest(now: now)
    else { return }
    subscription.requestKeyframe()
    keyframeWanted(of: publication)
  }
}
