public import Basics
import RTC

extension Router {
  // MARK: Relays

  /// Connects this router with another of the same meeting, whose records come in by ``receive(_:from:now:)``.
  /// - Parameters:
  ///   - channel: The meeting's number on the link; the other end uses the same.
  ///   - reach: Whether the other end is on this machine.
  ///   - output: The ring for records to the other end.
  public func addRelay(channel: UInt32, reach: Relay.Reach, output: RelayOutput) -> Relay {
    let relay = Relay(channel: channel, reach: reach, output: output, session: random.next())
    relayState.relays.append(relay)
    relay.send(.hello) { RelayBytes.append(relay.session, to: &$0) }
    return relay
  }

  /// Ends a relay: what came over it is gone, slots that carried it are empty afterwards.
  public func removeRelay(_ relay: Relay) {
    forgetOtherEnd(of: relay)
    relayState.relays.removeAll { $0 === relay }
  }

  /// The relays of this router.
  public var relays: ContiguousArray<Relay> { relayState.relays }

  private func forgetOtherEnd(of relay: Relay) {
    relay.isOpen = false
    for publication in relay.incoming { if let publication { end(publication) } }
    relay.incoming.removeAll()
    for publication in relayState.published {
      guard let publication, !publication.relays.isEmpty else { continue }
      publication.relays.removeAll { $0.relay === relay }
      demandChanged(publication)
    }
  }

  /// Takes a record that the other end of `relay` wrote. Malformed messages and those with unknown names are dropped.
  public func receive(_ record: Span<UInt8>, from relay: Relay, now: Instant) {
    guard record.count >= RelayRecord.headerLength, let kind = RelayRecord.Kind(rawValue: record[0]) else { return }
    if kind == .media { return receiveMedia(record, relay, now) }
    let number = RelayBytes.uint32(record, at: 8)
    let value = RelayBytes.uint16(record, at: 2)
    switch kind {
    case .hello: receiveHello(record, isAnswer: record[1] & 1 != 0, relay)
    case .announce: receiveAnnouncement(record, number, relay)
    case .withdraw: if let publication = relay.publication(number) { end(publication) }
    case .mute:
      if let publication = relay.publication(number) { setMuted(record[1] & 1 != 0, publication) }
    case .report: receiveReport(record, number, relay)
    case .voices: receiveVoices(record, relay, now)
    case .subscribe: subscribe(relay, to: number, record)
    case .unsubscribe:
      guard let publication = relayState.publication(number) else { return }
      publication.relays.removeAll { $0.relay === relay }
      demandChanged(publication)
    case .keyframe:
      guard let publication = relayState.publication(number) else { return }
      requestKeyframe(of: publication, layer: value)
    case .loss:
      guard let publication = relayState.publication(number) else { return }
      receiveLoss(UInt8(clamping: value), of: publication, from: relay, now: now)
    case .media: break
    }
  }

  private func receiveHello(_ record: Span<UInt8>, isAnswer: Bool, _ relay: Relay) {
    var reader = RelayReader(at: RelayRecord.headerLength)
    guard let session = reader.number(record, UInt64.self) else { return }
    if relay.isOpen, relay.otherSession != session { forgetOtherEnd(of: relay) }
    let isNew = !relay.isOpen
    relay.isOpen = true
    relay.otherSession = session
    if !isAnswer { relay.send(.hello, flags: 1) { RelayBytes.append(relay.session, to: &$0) } }
    guard isNew else { return }
    for publication in relayState.published { if let publication { announce(publication, to: relay) } }
    relayState.voiceDeadline = .zero
  }

  // MARK: Publications of others

  private func receiveAnnouncement(_ record: Span<UInt8>, _ number: UInt32, _ relay: Relay) {
    guard let announcement = RelayAnnouncement(record) else { return }
    if let known = relay.publication(number), known.id == announcement.id {
      known.renegotiate(announcement.media)
      setMuted(announcement.isMuted, known)
      announce(known)
      return
    }
    // Who moved from one router to another may be announced by the new one before the old one is known to have lost it.
    // Nobody else can announce what a participant here sends.
    if let before = publication(announcement.id) {
      guard let origin = before.origin, origin.relay !== relay else { return }
      end(before)
    }
    let index = Int(number & 0xFFFF)
    while relay.incoming.count <= index { relay.incoming.append(nil) }
    if let old = relay.incoming[index] { end(old) }
    let participant: RelayedParticipant
    if let known = relay.participants[announcement.participant] {
      participant = known
    } else {
      participant = RelayedParticipant(
        id: announcement.participant, number: relayState.enter(announcement.participant))
      relay.participants[announcement.participant] = participant
    }
    participant.publications += 1
    let publication = Publication(
      id: announcement.id, participant: -1, media: announcement.media, isMuted: announcement.isMuted,
      isScreenShare: announcement.isScreenShare, isEncrypted: announcement.isEncrypted)
    publication.origin = RelayOrigin(relay: relay, number: number, participant: participant)
    // It was announced as flowing where it comes from.
    publication.hasStarted = true
    relay.incoming[index] = publication
    enter(publication, speaker: participant.number)
  }

  /// Ends a publication that came over a relay. Its slots wait for it to come back, from wherever: what they carry is
  /// for signalling to say, which may have said so already when the news of the end arrives.
  func end(_ publication: Publication) {
    guard let origin = publication.origin else { return }
    let relay = origin.relay
    let slots = publication.subscriptions
    unpublish(publication)
    for slot in slots { awaitPublication(publication.id, slot) }
    publication.origin = nil
    let index = Int(origin.number & 0xFFFF)
    if index < relay.incoming.count, relay.incoming[index] === publication { relay.incoming[index] = nil }
    origin.participant.publications -= 1
    if origin.participant.publications == 0 {
      relay.participants[origin.participant.id] = nil
      relayState.leave(remote: origin.participant.number)
    }
  }

  @inline(__always)
  private func receiveMedia(_ record: Span<UInt8>, _ relay: Relay, _ now: Instant) {
    guard var relayed = RelayedPacket(record, now: now), let publication = relay.publication(relayed.publication) else {
      return
    }
    counters.packetsRelayedIn &+= 1
    guard !publication.isMuted, let codec = publication.formats.codec(relayed.packet.payloadType),
      let stream = stream(of: publication, ssrc: relayed.ssrc, layer: relayed.layer)
    else { return }
    let payload = record.extracting(relayed.descriptor.upperBound..<record.count)
    guard payload.count <= Ingress.maximumPacket else {
      counters[.tooLarge] &+= 1
      return
    }
    var descriptor = relayed.descriptor
    if !payload.isEmpty {
      guard PayloadInspection.inspect(payload, codec, &relayed.packet) else {
        counters[.malformed] &+= 1
        return
      }
    }
    if stream.kind == .video,
      !publication.noteFormat(
        relayed.packet.payloadType, codec, of: stream, sequence: relayed.packet.sequence)
    {
      counters[.tooOld] &+= 1
      return
    }
    if stream.kind == .video, !payload.isEmpty,
      !stream.inspectLayers(&relayed.packet, record, descriptor: descriptor, payload: payload, codec: codec)
    {
      descriptor = 0..<0
    }
    if let reason = stream.accept(relayed.packet, descriptor: record.extracting(descriptor), payload: payload) {
      counters[reason] &+= 1
      return
    }
    // What its way to the server lost and delayed is not to be blamed on receivers here.
    if !relayed.packet.isRecovered {
      stream.statistics.receive(
        sequence: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: relayed.packet.sequence)),
        timestamp: relayed.packet.timestamp, now: now)
    }
    accepted(publication, stream, now)
  }

  /// The stream with `ssrc` of a relayed publication; another SSRC of the same layer replaces the one before.
  @inline(__always)
  private func stream(of publication: Publication, ssrc: SSRC, layer: UInt16) -> SourceStream? {
    for stream in publication.streams where stream.ssrc == ssrc { return stream }
    return addStream(to: publication, ssrc: ssrc, layer: layer)
  }

  private func addStream(to publication: Publication, ssrc: SSRC, layer: UInt16) -> SourceStream? {
    var text: HeaderExtensionText?
    if !publication.layerNames.isEmpty {
      guard Int(layer) < publication.layerNames.count else { return nil }
      text = publication.layerNames[Int(layer)]
    }
    let before = publication.streams.count
    publication.streams = ContiguousArray(publication.streams.filter { $0.layer != text })
    if publication.streams.count < before { publication.leavesStreams = true }
    // Lost packets are asked for where the publisher is.
    let stream = SourceStream(
      ssrc: ssrc, layer: text, kind: publication.media.kind, clockRate: publication.clockRate, usesNack: false,
      isEncrypted: publication.isEncrypted)
    publication.streams = publication.streams + [stream]
    publication.streamsChanged()
    return stream
  }

  private func receiveReport(_ record: Span<UInt8>, _ number: UInt32, _ relay: Relay) {
    var reader = RelayReader(at: RelayRecord.headerLength)
    guard let publication = relay.publication(number), let ssrc = reader.number(record, UInt32.self),
      let timestamp = reader.number(record, UInt32.self), let time = reader.number(record, UInt64.self),
      let offset = reader.number(record, Int64.self)
    else { return }
    publication.origin?.participant.clockOffset = TimeSpan(nanoseconds: offset)
    for stream in publication.streams where stream.ssrc.rawValue == ssrc {
      stream.mapping = SenderReportMapping(
        ntp: NTPTime(rawValue: time), rtpTimestamp: RTPTimestamp(rawValue: timestamp), clockRate: stream.clockRate)
      relayReport(of: stream, of: publication, offset: TimeSpan(nanoseconds: offset))
    }
  }
}
