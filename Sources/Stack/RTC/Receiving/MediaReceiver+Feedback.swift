public import Basics

extension MediaReceiver {
  /// Most numbers that one NACK message asks for.
  static let maximumNacks = 64
  /// Bytes that a NACK message of that many numbers may take.
  private static let nackRoom = 12 + 4 * maximumNacks
  /// Room below which a transport-wide feedback report waits for the next datagram.
  private static let feedbackRoom = 64
  /// How much of one RTCP datagram's goodbyes is acted on: all, the format allows 31.
  private static let maximumGoodbyes = 31

  /// When ``makeFeedback(now:sender:into:)`` has something to say; ``Instant/distantFuture`` when nothing is due.
  public var deadline: Instant {
    min(min(reportDue, nackDeadline), min(keyframeDeadline, arrivals.deadline))
  }

  // MARK: Receiving reports

  /// Handles one message of a decrypted RTCP datagram: sender reports and goodbyes. Messages about streams that this
  /// side sends are ignored.
  public mutating func receive(_ message: RTCPMessage, in datagram: Span<UInt8>, now: Instant) {
    switch message {
    case .senderReport(let report):
      guard let section = section(of: report.info.ssrc) else { return }
      let isFirst = sections[section].stream?.mapping == nil
      sections[section].stream?.receive(report.info, now: now)
      if isFirst { reportDue = min(reportDue, now + configuration.firstReportDelay) }
    case .bye(let bye):
      var index = 0
      while index < min(bye.count, Self.maximumGoodbyes), let ssrc = bye.ssrc(at: index, in: datagram) {
        index += 1
        guard let section = section(of: ssrc) else { continue }
        sections[section].stream?.forgetMissing()
        sections[section].stream?.keyframes.withdraw()
        emit(.ended(sections[section].mid, ssrc))
      }
      updateDeadlines()
    case .receiverReport, .sdes, .nack, .pli, .fir, .remb, .transportFeedback, .extendedReport: break
    }
  }

  // MARK: Writing

  /// Writes one RTCP datagram of what is due: a report with source description (RFC 3550 section 6.1), requests for
  /// lost packets and keyframes (RFC 4585), transport-wide feedback. Between reports it has reduced size (RFC 5506)
  /// where that was agreed on.
  ///
  /// Call it until it gives nil, then again at ``deadline``. The caller protects and sends the datagram. Allocates
  /// nothing.
  /// - Parameters:
  ///   - sender: The SSRC of this side: of one of its own streams, or any that the other side does not use.
  ///   - buffer: At least 400 bytes, and what fits a datagram: about 1,150.
  /// - Returns: the datagram's length; nil when nothing is due.
  public mutating func makeFeedback(
    now: Instant, sender: SSRC, into buffer: inout MutableSpan<UInt8>
  ) -> Int? {
    guard deadline <= now, buffer.count >= 400 else { return nil }
    var writer = RTCPWriter()
    let isReport = reportDue <= now
    if isReport {
      guard writeReport(&writer, now, sender, &buffer) else { return nil }
    } else if !usesReducedSize {
      // A compound packet starts with a report, if an empty one (RFC 4585 section 3.1).
      guard append(report: 0..<0, &writer, sender, &buffer) else { return nil }
    }
    let length = writer.length
    if nackDeadline <= now { writeNacks(&writer, now, sender, &buffer) }
    if keyframeDeadline <= now { writeKeyframeRequests(&writer, now, sender, &buffer) }
    if arrivals.deadline <= now { writeArrivals(&writer, now, sender, &buffer) }
    return isReport || writer.length > length ? writer.length : nil
  }

  /// Writes a receiver report about as many streams as fit, and who we are; the next call goes on with the rest.
  private mutating func writeReport(
    _ writer: inout RTCPWriter, _ now: Instant, _ sender: SSRC, _ buffer: inout MutableSpan<UInt8>
  ) -> Bool {
    // Header and SSRC of the report; header, SSRC, item and padding of the name.
    let room = buffer.count &- 8 &- (8 &+ 2 &+ cname.utf8.count &+ 4)
    let most = max(0, min(31, room / ReportBlock.size))
    blocks.removeAll(keepingCapacity: true)
    var index = reportCursor ?? 0
    while index < sections.count, blocks.count < most {
      if let block = sections[index].stream?.statistics.makeReportBlock(now: now) { blocks.append(block) }
      index += 1
    }
    let isComplete = index >= sections.count
    reportCursor = isComplete ? nil : index
    if isComplete {
      let isReceiving = sections.contains { $0.stream?.hasStarted == true }
      reportDue = isReceiving ? now + configuration.reportInterval : .distantFuture
    }
    return append(report: 0..<blocks.count, &writer, sender, &buffer)
  }

  private func append(
    report range: Range<Int>, _ writer: inout RTCPWriter, _ sender: SSRC, _ buffer: inout MutableSpan<UInt8>
  ) -> Bool {
    do throws(RTCPError) {
      try writer.append(receiverReportFrom: sender, blocks: blocks.span.extracting(range), into: &buffer)
      try writer.append(cname: cname, of: sender, into: &buffer)
      return true
    } catch {
      return false
    }
  }

  private mutating func writeNacks(
    _ writer: inout RTCPWriter, _ now: Instant, _ sender: SSRC, _ buffer: inout MutableSpan<UInt8>
  ) {
    // Taken out while in use, so that it is neither copied nor accessed twice.
    var room: [SequenceNumber] = []
    swap(&room, &lost)
    defer { swap(&room, &lost) }
    var next = Instant.distantFuture
    for index in sections.indices where sections[index].stream?.usesNack == true {
      while (sections[index].stream?.nacks.deadline ?? .distantFuture) <= now,
        buffer.count &- writer.length >= Self.nackRoom,
        sections[index].stream?.appendNack(
          to: &writer, sender: sender, now: now, roundTripTime: roundTripTime, lost: &room, into: &buffer) == true
      {}
      next = min(next, sections[index].stream?.nacks.deadline ?? .distantFuture)
    }
    nackDeadline = next
  }

  private mutating func writeKeyframeRequests(
    _ writer: inout RTCPWriter, _ now: Instant, _ sender: SSRC, _ buffer: inout MutableSpan<UInt8>
  ) {
    var next = Instant.distantFuture
    for index in sections.indices {
      // The longer of the two requests takes 20 bytes.
      guard buffer.count &- writer.length >= 20 else {
        keyframeDeadline = now
        return
      }
      guard let ssrc = sections[index].stream?.ssrc else { continue }
      if sections[index].stream?.keyframes.take(now: now) == true {
        if sections[index].acceptsPictureLoss {
          try? writer.append(pliFor: ssrc, sender: sender, into: &buffer)
          sections[index].stream?.counters.pliCount &+= 1
        } else {
          sections[index].fullIntraRequests &+= 1
          try? writer.append(
            fir: FIREntry(ssrc: ssrc, sequenceNumber: sections[index].fullIntraRequests), sender: sender,
            into: &buffer)
          sections[index].stream?.counters.firCount &+= 1
        }
      }
      next = min(next, sections[index].stream?.keyframes.deadline ?? .distantFuture)
    }
    keyframeDeadline = next
  }

  private mutating func writeArrivals(
    _ writer: inout RTCPWriter, _ now: Instant, _ sender: SSRC, _ buffer: inout MutableSpan<UInt8>
  ) {
    while arrivals.deadline <= now, buffer.count &- writer.length >= Self.feedbackRoom,
      arrivals.appendFeedback(to: &writer, sender: sender, media: lastSource, now: now, into: &buffer)
    {}
  }

  /// The earliest deadlines over all streams, after some have gone.
  mutating func updateDeadlines() {
    nackDeadline = .distantFuture
    keyframeDeadline = .distantFuture
    for section in sections {
      guard let stream = section.stream else { continue }
      if stream.usesNack { nackDeadline = min(nackDeadline, stream.nacks.deadline) }
      keyframeDeadline = min(keyframeDeadline, stream.keyframes.deadline)
    }
    reportCursor = nil
  }
}
