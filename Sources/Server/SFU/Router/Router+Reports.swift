import Basics
import RTC

/// When reports are sent.
enum ReportTiming {
  /// Between two regular reports to one participant.
  static let reportInterval = TimeSpan.milliseconds(1_000)
  /// A participant whose reports have not told the round trip for this long, and who sends something, is asked for it.
  static let roundTripAge = TimeSpan.seconds(7)
  /// Reports of different participants that are due within this leave together, so that a worker with many silent
  /// participants wakes twenty times a second and not once for each of them.
  static let grid: Int64 = 50_000_000
  /// When the next regular report is due.
  static func next(after now: Instant) -> Instant {
    let due = (now + reportInterval).nanoseconds
    return Instant(nanoseconds: due &- due % grid)
  }
  /// Largest RTCP datagram before encryption.
  static let maximumLength = 1_150
  /// Most datagrams written to one participant at once.
  static let maximumDatagrams = 16
}

/// One RTCP datagram after the other, put together in the batch's report buffer.
private struct ReportWriter<Sink: PacketSink> {
  // Whoever has the reports written owns them: feedback leaves twenty times a second for each participant who sends.
  let egress: BorrowedReference<Egress>
  let batch: BorrowedReference<OutputBatch>
  let sink: BorrowedReference<Sink>
  var writer = RTCPWriter()
  var datagrams = 0

  init(_ egress: Egress, _ batch: OutputBatch, _ sink: Sink) {
    self.egress = BorrowedReference(egress)
    self.batch = BorrowedReference(batch)
    self.sink = BorrowedReference(sink)
  }

  /// Writes with `body`; where the datagram is full it is sent and a new one begun. False when even that was too small.
  mutating func append<T>(_ body: (inout RTCPWriter, inout MutableSpan<UInt8>) throws(RTCPError) -> T) -> T? {
    if let result = attempt(body) { return result }
    guard writer.length > 0 else { return nil }
    send()
    return attempt(body)
  }

  private mutating func attempt<T>(
    _ body: (inout RTCPWriter, inout MutableSpan<UInt8>) throws(RTCPError) -> T
  ) -> T? {
    guard datagrams < ReportTiming.maximumDatagrams else { return nil }
    let result = batch.use { batch in
      batch.report.write(0..<batch.report.count) { buffer in try? body(&writer, &buffer) }
    }
    return result ?? nil
  }

  mutating func send() {
    guard writer.length > 0 else { return }
    let length = writer.length
    let isSent = egress.use { egress in
      batch.use { batch in sink.use { egress.sendReport(length: length, batch: batch, to: $0) } ?? false } ?? false
    }
    if isSent == true { datagrams += 1 }
    writer = RTCPWriter()
  }
}

extension Router {
  /// Writes everything that `member` must be told now: reports about its streams and ours, lost packets, keyframe
  /// requests, transport-wide feedback.
  func writeReports<Sink: PacketSink>(to member: Member, now: Instant, batch: OutputBatch, sink: Sink) {
    var writer = ReportWriter(member.egress, batch, sink)
    let isReportDue = member.nextReport <= now
    if isReportDue {
      member.nextReport = ReportTiming.next(after: now)
      writeReceiverReport(member, now, &writer)
      writeSenderReports(member, now, &writer)
      for subscription in member.egress.subscriptions where subscription.updateFrameRate(now: now) {
        allocateSoon(subscription)
      }
      if member.judgeQuality(now: now) { emit(.quality(member.id, member.quality.quality)) }
    }
    if member.ingress.nackDeadline <= now { writeNacks(member, now, &writer) }
    if member.ingress.keyframeDeadline <= now { writeKeyframeRequests(member, now, &writer) }
    if member.ingress.feedback.deadline <= now { writeTransportFeedback(member, now, &writer) }
    writer.send()
    counters.reportsSent &+= UInt64(writer.datagrams)
  }

  private func writeReceiverReport<Sink: PacketSink>(
    _ member: Member, _ now: Instant, _ writer: inout ReportWriter<Sink>
  ) {
    // Taken out while in use, so that it is neither copied nor accessed twice.
    var blocks: [ReportBlock] = []
    swap(&blocks, &self.blocks)
    defer { swap(&blocks, &self.blocks) }
    blocks.removeAll(keepingCapacity: true)
    for publication in member.ingress.publications {
      for stream in publication.streams {
        guard var block = stream.statistics.makeReportBlock(now: now) else { continue }
        block.fractionLost = max(block.fractionLost, publication.lossToBeReadyFor)
        if blocks.count < 31 { blocks.append(block) }
      }
    }
    _ = writer.append { rtcp, buffer throws(RTCPError) in
      try rtcp.append(receiverReportFrom: member.reporter, blocks: blocks.span, into: &buffer)
    }
    guard !blocks.isEmpty, now - member.lastRoundTripReport > ReportTiming.roundTripAge else { return }
    let time = clock.time(at: now)
    _ = writer.append { rtcp, buffer throws(RTCPError) in
      try rtcp.append(referenceTime: time, of: member.reporter, into: &buffer)
    }
  }

  private func writeSenderReports<Sink: PacketSink>(
    _ member: Member, _ now: Instant, _ writer: inout ReportWriter<Sink>
  ) {
    for subscription in member.egress.subscriptions {
      guard let publication = subscription.publication, let offset = clockOffset(of: publication),
        let info = subscription.senderInfo(now: now, clock: clock, sourceOffset: offset)
      else { continue }
      _ = writer.append { rtcp, buffer throws(RTCPError) in
        try rtcp.append(senderReport: info, into: &buffer)
        try rtcp.append(cname: member.canonicalName, of: info.ssrc, into: &buffer)
      }
    }
  }

  private func writeNacks<Sink: PacketSink>(
    _ member: Member, _ now: Instant, _ writer: inout ReportWriter<Sink>
  ) {
    var next = Instant.distantFuture
    var lost: [SequenceNumber] = []
    swap(&lost, &self.lost)
    defer { swap(&lost, &self.lost) }
    for publication in member.ingress.publications {
      for stream in publication.streams {
        guard stream.acceptsNack else { continue }
        if stream.nacks.deadline <= now {
          var numbers = lost.mutableSpan
          let count = stream.nacks.poll(now: now, roundTripTime: member.egress.roundTrip, into: &numbers)
          // Muted sources send nothing worth asking for.
          if count > 0, !publication.isMuted {
            var done = 0
            while done < count {
              let rest = done..<count
              let written = writer.append { rtcp, buffer throws(RTCPError) in
                try rtcp.append(
                  nack: lost.span.extracting(rest), sender: member.reporter, media: stream.ssrc, into: &buffer)
              }
              guard let written, written > 0 else { break }
              done += written
            }
          }
        }
        next = min(next, stream.nacks.deadline)
      }
    }
    member.ingress.nackDeadline = next
  }

  private func writeKeyframeRequests<Sink: PacketSink>(
    _ member: Member, _ now: Instant, _ writer: inout ReportWriter<Sink>
  ) {
    var next = Instant.distantFuture
    for publication in member.ingress.publications where publication.media.kind == .video {
      for stream in publication.streams {
        // Who asked may have left, or stopped watching; a layer that nobody watches may have been stopped for that.
        if stream.keyframes.deadline <= now, !publication.isWatched(stream) { stream.keyframes.withdraw() }
        if !publication.isMuted, stream.keyframes.take(now: now) {
          counters.keyframeRequests &+= 1
          let acceptsPLI = publication.media.codecs.contains { $0.feedback.contains(.pictureLoss) }
          if !acceptsPLI { member.fullIntraRequests &+= 1 }
          _ = writer.append { rtcp, buffer throws(RTCPError) in
            if acceptsPLI {
              try rtcp.append(pliFor: stream.ssrc, sender: member.reporter, into: &buffer)
            } else {
              try rtcp.append(
                fir: FIREntry(ssrc: stream.ssrc, sequenceNumber: member.fullIntraRequests),
                sender: member.reporter, into: &buffer)
            }
          }
        }
        if !publication.isMuted { next = min(next, stream.keyframes.deadline) }
      }
    }
    member.ingress.keyframeDeadline = max(next, now + .milliseconds(1))
  }

  private func writeTransportFeedback<Sink: PacketSink>(
    _ member: Member, _ now: Instant, _ writer: inout ReportWriter<Sink>
  ) {
    var media = SSRC(rawValue: 0)
    if !member.ingress.publications.isEmpty {
      member.ingress.publications.reference(at: 0).use { publication in
        if !publication.streams.isEmpty { publication.streams.reference(at: 0).use { media = $0.ssrc } }
      }
    }
    while member.ingress.feedback.deadline <= now {
      let written = writer.append { rtcp, buffer throws(RTCPError) -> Bool in
        let before = rtcp.length
        let done = member.ingress.feedback.appendFeedback(
          to: &rtcp, sender: member.reporter, media: media, now: now, into: &buffer)
        if !done, before > 0, member.ingress.feedback.deadline <= now { throw .bufferTooSmall }
        return done
      }
      guard written == true else { break }
    }
  }
}
