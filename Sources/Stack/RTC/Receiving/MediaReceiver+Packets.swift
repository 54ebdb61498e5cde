public import Basics

extension MediaReceiver {
  /// The values of a packet's header extensions.
  private struct Extensions {
    var mid: Range<Int>?
    var transportSequence: SequenceNumber?
    var audioLevel: UInt8?
    var descriptor: Range<Int>?
  }

  /// Takes a decrypted RTP packet and hands out what it brings: its own payload, and with redundant audio what was lost
  /// before it, oldest first.
  ///
  /// A packet of padding only is delivered with an empty payload: its number is not lost. `packet` may be longer than
  /// the header says (SRTP leaves its tag behind); a retransmission is rewritten in place. The payload and the
  /// dependency descriptor are valid only inside `deliver`.
  public mutating func receive(
    _ header: RTPHeader, _ packet: inout MutableSpan<UInt8>, now: Instant,
    deliver: (_ packet: ReceivedPacket, _ payload: Span<UInt8>, _ dependencyDescriptor: Span<UInt8>?) -> Void
  ) {
    guard header.packetLength <= packet.count, header.payloadOffset >= 12 else {
      drops.malformed &+= 1
      return
    }
    let extensions = read(header, packet.span)
    if let sequence = extensions.transportSequence { arrivals.receive(sequence, now: now) }
    guard let binding = resolve(header, extensions, packet.span, now) else { return }
    let section = binding.section
    guard let format = sections[section].format(header.payloadType) else {
      drops.unknownPayloadType &+= 1
      return
    }
    lastSource = header.ssrc
    start(section, now)
    sections[section].stream?.count(header, isRetransmission: binding.isRetransmission, now: now)
    guard binding.isRetransmission else {
      sections[section].stream?.statistics.receive(header, now: now)
      take(header, format.codec, section, false, extensions, packet.span, now, deliver)
      return
    }
    guard let repaired = format.repairs, let ssrc = sections[section].stream?.ssrc else {
      drops.unknownPayloadType &+= 1
      return
    }
    do throws(RTPError) {
      // Without payload it is padding that probes for bandwidth.
      guard let original = try RTXUnpacker.unpack(&packet, header: header, ssrc: ssrc, payloadType: repaired)
      else { return }
      take(original, format.codec, section, true, extensions, packet.span, now, deliver)
    } catch {
      drops.malformed &+= 1
    }
  }

  /// One walk over the extensions of a packet.
  private func read(_ header: RTPHeader, _ packet: Span<UInt8>) -> Extensions {
    var result = Extensions()
    var elements = header.elements
    while let element = elements.next(in: packet) {
      let id = element.id
      if id == identifiers.transportSequence {
        result.transportSequence = TransportSequenceNumber.parse(packet, at: element.range)
      } else if id == identifiers.mid {
        result.mid = element.range
      } else if id == identifiers.audioLevel {
        result.audioLevel = AudioLevel(packet, at: element.range)?.decibelsBelowFullScale
      } else if id == identifiers.dependencyDescriptor {
        result.descriptor = element.range
      }
    }
    return result
  }

  // MARK: Stream of a packet

  /// The m-section that a packet belongs to; nil when it was dropped.
  private mutating func resolve(
    _ header: RTPHeader, _ extensions: Extensions, _ packet: Span<UInt8>, _ now: Instant
  ) -> Binding? {
    let text = extensions.mid.flatMap { HeaderExtensionText(packet, at: $0) }
    guard let binding = binding(of: header.ssrc) else { return learn(header, text, now) }
    if let text, text != sections[binding.section].midText {
      drops.refusedClaim &+= 1
      return nil
    }
    return binding
  }

  /// Finds out what an unknown SSRC is.
  private mutating func learn(_ header: RTPHeader, _ mid: HeaderExtensionText?, _ now: Instant) -> Binding? {
    let found = RTPDemultiplexer<Binding>.section(of: mid, header.payloadType, among: sections)
    // A payload type alone doesn't replace a stream.
    guard let section = found, mid != nil || sections[section].stream == nil else {
      drops.unknownSource &+= 1
      return nil
    }
    guard let format = sections[section].format(header.payloadType) else {
      drops.unknownPayloadType &+= 1
      return nil
    }
    guard !sources.isFull else {
      drops.tooManySources &+= 1
      return nil
    }
    let isRetransmission = format.repairs != nil
    if isRetransmission {
      guard sections[section].stream != nil else {
        drops.unknownSource &+= 1
        return nil
      }
      if let old = sections[section].stream?.retransmissionSSRC {
        guard old != sections[section].announced?.rtxSSRC else {
          drops.refusedClaim &+= 1
          return nil
        }
        release(old)
      }
      sections[section].stream?.retransmissionSSRC = header.ssrc
    } else {
      // A sender may start over under a new SSRC, but not without end.
      if let old = sections[section].stream {
        guard now - old.since >= configuration.replacementInterval else {
          drops.refusedClaim &+= 1
          return nil
        }
        release(old.ssrc)
        if let rtx = old.retransmissionSSRC { release(rtx) }
      }
      begin(header.ssrc, in: section, now)
    }
    guard bind(header.ssrc, to: section, isRetransmission: isRetransmission) else { return nil }
    return Binding(section: section, isRetransmission: isRetransmission)
  }

  private mutating func start(_ section: Int, _ now: Instant) {
    guard let ssrc = sections[section].startStream() else { return }
    reportDue = min(reportDue, now + configuration.firstReportDelay)
    emit(.started(sections[section].mid, ssrc))
  }

  // MARK: Payloads

  /// Places a packet in its stream and delivers it.
  private mutating func take(
    _ header: RTPHeader, _ codec: Codec, _ section: Int, _ isRetransmission: Bool, _ extensions: Extensions,
    _ packet: Span<UInt8>, _ now: Instant, _ deliver: (ReceivedPacket, Span<UInt8>, Span<UInt8>?) -> Void
  ) {
    guard
      let place = sections[section].stream?.place(
        header.sequenceNumber, isRetransmission: isRetransmission, now: now, drops: &drops)
    else { return }
    if place.needsKeyframe, sections[section].kind == .video { requestKeyframe(section: section) }
    nackDeadline = min(nackDeadline, sections[section].nackDeadline)
    if place.isNewest, let level = extensions.audioLevel { sections[section].stream?.counters.headerAudioLevel = level }
    var received = sections[section].packet(
      header, codec, at: place, audioLevel: extensions.audioLevel, now: now)
    let payload = packet.extracting(header.payloadRange)
    if codec == .red, !payload.isEmpty {
      unwrap(&received, payload, section, place.highestBefore, deliver)
    } else {
      if codec == .red { received.codec = .opus }
      if sections[section].isAwaitingKeyframe, !payload.isEmpty,
        Payload.isKeyframeStart(codec: codec, payload: payload)
      {
        sections[section].stream?.keyframes.withdraw()
      }
      sections[section].stream?.counters.codec = received.codec
      sections[section].stream?.counters.payloadType = header.payloadType
      if let range = extensions.descriptor {
        deliver(received, payload, packet.extracting(range))
      } else {
        deliver(received, payload, nil)
      }
    }
    if place.isNewest { sections[section].stream?.newestTimestamp = header.timestamp }
  }

  /// Delivers redundant audio (RFC 2198): what of the older blocks is missing, then the packet's own. A block stands
  /// for the packet as many numbers back as it stands in front of the last block.
  private mutating func unwrap(
    _ received: inout ReceivedPacket, _ payload: Span<UInt8>, _ section: Int, _ highestBefore: Int64,
    _ deliver: (ReceivedPacket, Span<UInt8>, Span<UInt8>?) -> Void
  ) {
    let own = received
    guard let red = try? RED.parse(payload) else {
      drops.malformed &+= 1
      return
    }
    var blocks = red.blocks
    var back = Int64(red.blockCount)
    while let block = blocks.next(in: payload) {
      back &-= 1
      guard let format = sections[section].format(block.payloadType), format.repairs == nil, format.codec != .red
      else {
        if block.isPrimary { drops.unknownPayloadType &+= 1 }
        continue
      }
      received.codec = format.codec
      if block.isPrimary {
        received.sequence = own.sequence
        received.timestamp = own.timestamp
        received.marker = own.marker
        received.isRetransmission = own.isRetransmission
        received.audioLevel = own.audioLevel
        sections[section].stream?.counters.codec = format.codec
        sections[section].stream?.counters.payloadType = block.payloadType
      } else {
        guard !block.range.isEmpty else { continue }
        sections[section].stream?.counters.fecPacketsReceived &+= 1
        received.sequence = own.sequence &- back
        received.timestamp = RTPTimestamp(
          rawValue: own.timestamp.rawValue &- UInt32(block.timestampOffset))
        received.marker = false
        received.isRetransmission = true
        received.audioLevel = nil
        guard sections[section].stream?.recover(received, highestBefore: highestBefore) == true else {
          sections[section].stream?.counters.fecPacketsDiscarded &+= 1
          continue
        }
      }
      deliver(received, payload.extracting(block.range), nil)
    }
  }
}
