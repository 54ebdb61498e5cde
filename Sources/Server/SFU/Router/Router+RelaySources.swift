import Basics
import RTC

/// What this router lets others know of, and forwards to those who want it.
extension Router {
  /// Gives a publication its number and its voice, tells the other routers of it, and gives it to the slots that wait
  /// for it.
  func enter(_ publication: Publication, speaker: Int) {
    publication.number = relayState.enter(publication) ?? 0
    addVoice(of: publication, speaker: speaker)
    register(publication)
    announce(publication)
    attachAwaiting(publication)
  }

  /// Tells the other routers of `publication`, or of what changed about it.
  func announce(_ publication: Publication) {
    for relay in relayState.relays where relay.isOpen { announce(publication, to: relay) }
  }

  func announce(_ publication: Publication, to relay: Relay) {
    guard publication.number != 0, isPassedOn(publication, to: relay), let participant = participant(of: publication)
    else { return }
    let announcement = RelayAnnouncement(
      id: publication.id, participant: participant, media: publication.media, isMuted: publication.isMuted,
      isScreenShare: publication.isScreenShare, isEncrypted: publication.isEncrypted)
    relay.send(.announce, publication: publication.number) { announcement.append(to: &$0) }
  }

  /// Packets from one kind of relay go on over the other kind only.
  func isPassedOn(_ publication: Publication, to relay: Relay) -> Bool {
    guard let origin = publication.origin else { return true }
    return origin.relay.reach != relay.reach
  }

  func participant(of publication: Publication) -> ParticipantID? {
    if let origin = publication.origin { return origin.participant.id }
    guard members.indices.contains(publication.participant) else { return nil }
    return members[publication.participant]?.id
  }

  /// Tells the other routers that `publication` is over.
  func withdraw(_ publication: Publication) {
    for relay in relayState.relays where relay.isOpen && isPassedOn(publication, to: relay) {
      relay.send(.withdraw, publication: publication.number)
    }
    publication.relays.removeAll()
    relayState.leave(publication.number)
  }

  /// Tells the other routers whether `publication` is muted.
  func announceMute(of publication: Publication) {
    for relay in relayState.relays where relay.isOpen && isPassedOn(publication, to: relay) {
      relay.send(.mute, flags: publication.isMuted ? 1 : 0, publication: publication.number)
    }
  }

  /// Gives a packet that was just accepted to every router that wants it, at once: there it is held, if at all.
  @inline(__always)
  func relayNewest(of stream: SourceStream, of publication: Publication, now: Instant) {
    guard let slot = stream.pending.last else { return }
    let packet = stream.store[slot]
    let layer = layerIndex(of: stream, publication)
    let rank = publication.isSimulcast ? stream.layers.rank : 0
    for target in publication.relays where rank < target.level.layers {
      if stream.backlog.isEmpty,
        target.relay.forward(packet, of: stream, layer: layer, publication: publication.number)
      {
        counters.packetsRelayedOut &+= 1
      } else {
        relayLater(packet, of: stream, of: publication, to: target.relay, now: now)
      }
    }
  }

  @inline(__always)
  func layerIndex(of stream: SourceStream, _ publication: Publication) -> UInt16 {
    guard let layer = stream.layer else { return RelayRecord.noLayer }
    var index = 0
    while index < publication.layerNames.count {
      if publication.layerNames[index] == layer { return UInt16(truncatingIfNeeded: index) }
      index &+= 1
    }
    return RelayRecord.noLayer
  }

  /// Passes on how the clock of a stream relates to its participant's.
  func relayReport(of stream: SourceStream, of publication: Publication, offset: TimeSpan) {
    guard let mapping = stream.mapping else { return }
    for target in publication.relays {
      target.relay.send(.report, publication: publication.number) { bytes in
        RelayBytes.append(stream.ssrc.rawValue, to: &bytes)
        RelayBytes.append(mapping.rtpTimestamp.rawValue, to: &bytes)
        RelayBytes.append(mapping.ntp.rawValue, to: &bytes)
        RelayBytes.append(offset.nanoseconds, to: &bytes)
      }
    }
  }

  /// How far our clock is ahead of that of who sends `publication`.
  func clockOffset(of publication: Publication) -> TimeSpan? {
    if let origin = publication.origin { return origin.participant.clockOffset }
    guard members.indices.contains(publication.participant) else { return nil }
    return members[publication.participant]?.ingress.clockOffset
  }
}
