import Basics
import RTC

/// Last-N audio: in a meeting with more voices than slots, slots that follow the loudest carry those few, and no other
/// audio is forwarded or relayed.
extension Router {
  /// Follows the voice of an audio publication.
  func addVoice(of publication: Publication, speaker: Int) {
    guard publication.media.kind == .audio else { return }
    let voice = speakers.add(participant: speaker)
    publication.voice = voice
    loudest.add(voice: voice)
    while voiceOwners.count <= voice { voiceOwners.append(nil) }
    voiceOwners[voice] = publication
  }

  /// Forgets the voice of a publication that is over.
  func removeVoice(of publication: Publication) {
    guard publication.voice >= 0 else { return }
    speakers.remove(voice: publication.voice)
    _ = loudest.remove(voice: publication.voice)
    voiceOwners[publication.voice] = nil
    publication.voice = -1
  }

  /// A muted voice leaves its place to others.
  func silenceVoice(of publication: Publication) {
    if publication.voice >= 0, loudest.silence(voice: publication.voice) { placesChanged() }
  }

  /// An audio packet of a participant of this router came.
  @inline(__always)
  func listen(to publication: Publication, _ packet: StoredPacket, now: Instant) {
    let length = packet.redPrimaryOffset == 0 ? packet.payloadLength : packet.payloadLength &- packet.redPrimaryOffset
    var level = LoudestSpeakers.assumedLevel
    // Without the extension it isn't known whether somebody speaks, but they should be heard.
    if packet.audioLevel != StoredPacket.absent {
      level = packet.audioLevel & 0x7F
      speakers.heard(voice: publication.voice, level: level, payloadLength: Int(length), now: now)
    }
    switch loudest.heard(voice: publication.voice, level: level, payloadLength: Int(length), now: now) {
    case .none: break
    case .onset: relayState.voiceDeadline = now
    case .places:
      relayState.voiceDeadline = now
      placesChanged()
    }
  }

  // MARK: Between routers

  /// Reports to the other routers who is audible here, the loudest first; again as long as anybody is.
  func sendVoices(_ now: Instant) {
    relayState.voiceDeadline = .distantFuture
    guard !relayState.relays.isEmpty else { return }
    var audible: [(voice: Int, average: UInt8)] = []
    for voice in voiceOwners.indices where voiceOwners[voice] != nil && loudest.isAudible(voice, now: now) {
      audible.append((voice, loudest.report(of: voice).average))
    }
    guard !audible.isEmpty else { return }
    audible.sort { $0.average > $1.average }
    for relay in relayState.relays where relay.isOpen {
      var count = 0
      let body = audible.reduce(into: [UInt8]()) { bytes, entry in
        guard count < RelayRecord.maximumVoices, let publication = voiceOwners[entry.voice], publication.number != 0,
          isPassedOn(publication, to: relay)
        else { return }
        count += 1
        let report = loudest.report(of: entry.voice)
        RelayBytes.append(publication.number, to: &bytes)
        bytes += [speakers.loudness(of: entry.voice), report.loudness, report.average, 0]
      }
      if count > 0 { relay.send(.voices) { $0 += body } }
    }
    relayState.voiceDeadline = now + RelayState.voiceInterval
  }

  func receiveVoices(_ record: Span<UInt8>, _ relay: Relay, _ now: Instant) {
    var reader = RelayReader(at: RelayRecord.headerLength)
    var changed = false
    for _ in 0..<RelayRecord.maximumVoices {
      guard let number = reader.number(record, UInt32.self), let values = reader.number(record, UInt32.self) else {
        break
      }
      guard let publication = relay.publication(number), publication.voice >= 0, !publication.isMuted else { continue }
      speakers.reported(voice: publication.voice, loudness: UInt8(truncatingIfNeeded: values), now: now)
      switch loudest.reported(
        voice: publication.voice, loudness: UInt8(truncatingIfNeeded: values >> 8),
        average: UInt8(truncatingIfNeeded: values >> 16), now: now)
      {
      case .none: break
      // Routers beyond this one are informed as well.
      case .onset: relayState.voiceDeadline = min(relayState.voiceDeadline, now)
      case .places:
        relayState.voiceDeadline = min(relayState.voiceDeadline, now)
        changed = true
      }
    }
    if changed { placesChanged() }
  }

  // MARK: Slots

  /// Lets a slot carry the loudest speakers, or only the publication that it is set to.
  public func setFollowsLoudest(_ follows: Bool, _ subscription: Subscription) {
    guard subscription.followsLoudest != follows, subscription.media.kind == .audio else { return }
    subscription.followsLoudest = follows
    guard follows else { return }
    cancelAwaiting(subscription)
    guard members.indices.contains(subscription.egress.participant),
      let member = members[subscription.egress.participant]
    else { return }
    var updates: [SlotUpdate] = []
    if let publication = subscription.publication, !loudest.isChosen(publication.voice) {
      detach(subscription)
      updates.append(SlotUpdate(participant: member.id, mid: subscription.media.mid, publication: nil))
    }
    fill(member, &updates)
    if !updates.isEmpty { emit(.slots(updates)) }
  }

  /// Other voices are the loudest: moves the slots that follow them, before the next packet is forwarded.
  func placesChanged() {
    var updates: [SlotUpdate] = []
    for owner in voiceOwners {
      guard let publication = owner, !publication.subscriptions.isEmpty, !loudest.isChosen(publication.voice) else {
        continue
      }
      // All at once, so that it costs no walk over all for each.
      var left = 0
      for subscription in publication.subscriptions where subscription.followsLoudest {
        left += 1
        subscription.attach(nil)
        guard members.indices.contains(subscription.egress.participant),
          let member = members[subscription.egress.participant]
        else { continue }
        updates.append(SlotUpdate(participant: member.id, mid: subscription.media.mid, publication: nil))
      }
      guard left > 0 else { continue }
      publication.removeSubscriptions(where: \.followsLoudest)
      demandChanged(publication)
    }
    for member in members { if let member { fill(member, &updates) } }
    guard !updates.isEmpty else { return }
    // A slot that was emptied and filled is reported once.
    var latest: [SlotUpdate] = []
    latest.reserveCapacity(updates.count)
    var places: [SlotKey: Int] = [:]
    for update in updates {
      let key = SlotKey(participant: update.participant, mid: update.mid)
      if let place = places[key] {
        latest[place] = update
      } else {
        places[key] = latest.count
        latest.append(update)
      }
    }
    emit(.slots(latest))
  }

  private struct SlotKey: Hashable {
    var participant: ParticipantID
    var mid: MID
  }

  /// Puts the loudest speakers that `member` does not receive yet into its free slots that follow them.
  private func fill(_ member: Member, _ updates: inout [SlotUpdate]) {
    let subscriptions = member.egress.subscriptions
    guard subscriptions.contains(where: \.followsLoudest) else { return }
    for voice in loudest.chosen {
      guard let publication = voiceOwners[voice], publication.participant != member.index,
        !subscriptions.contains(where: { $0.publication === publication }),
        let free = subscriptions.first(where: { $0.followsLoudest && $0.publication == nil })
      else { continue }
      guard attach(publication, to: free) else { continue }
      updates.append(SlotUpdate(participant: member.id, mid: free.media.mid, publication: publication.id))
    }
  }
}
