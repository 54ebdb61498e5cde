import Basics
import RTC
import Transport

/// Signalling's requests to the media thread: participants who join, offer again, mute, watch, and leave.
extension MediaCore {
  func join(
    _ participant: ParticipantID, meeting id: MeetingID, offer: String, tracks: [TrackOffer], reached: IPAddress?,
    isEncrypted: Bool, isSmall: Bool
  ) throws(MediaWorkerError) -> OfferAnswer {
    guard !isShutDown else { throw .unavailable("it is shutting down") }
    guard connectionsByID[participant] == nil else { throw .duplicateParticipant }
    guard connectionsByID.count < configuration.maximumParticipants else {
      throw .unavailable("it has its \(configuration.maximumParticipants) participants; use more workers")
    }
    let now = loop.now
    var peerConfiguration = peerConfiguration
    // Redundant audio is put together by senders and by this server from single frames, which it can't be of
    // encrypted ones.
    if isEncrypted { peerConfiguration.policy.codecs.remove(.red) }
    let peer = PeerConnection(.server, configuration: peerConfiguration)
    let answer = try accept(offer, peer, reached, now)
    let meeting = self.meeting(id)
    let member = meeting.router.add(participant, now: now)
    let index = connections.firstIndex { $0 == nil } ?? connections.count
    let connection = Connection(
      id: participant, index: index, peer: peer, member: member, meeting: meeting,
      data: ConnectionData(configuration.data, isSmall: isSmall), isEncrypted: isEncrypted)
    replaceConnection(at: index, by: connection)
    connection.reached = reached
    connectionsByID[participant] = connection
    meeting.participants += 1
    member.egress.connection = index
    member.canonicalName = peer.cname
    return finish(connection, answer, tracks)
  }

  func offer(
    _ participant: ParticipantID, offer: String, tracks: [TrackOffer]
  ) throws(MediaWorkerError) -> OfferAnswer {
    guard let connection = connectionsByID[participant] else { throw .unknownParticipant }
    let answer = try accept(offer, connection.peer, connection.reached, loop.now)
    return finish(connection, answer, tracks)
  }

  private func accept(
    _ offer: String, _ peer: PeerConnection, _ reached: IPAddress?, _ now: Instant
  ) throws(MediaWorkerError) -> String {
    // Each time: the machine's addresses may be others now.
    peer.setLocalCandidates(candidates(reached: reached))
    let ignored = peer.ignoredCandidates.total
    defer { statistics.candidatesIgnored &+= UInt64(peer.ignoredCandidates.total - ignored) }
    do throws(PeerConnectionError) {
      return try peer.setRemoteOffer(offer, now: now)
    } catch {
      throw .badOffer(error.description)
    }
  }

  private func finish(_ connection: Connection, _ answer: String, _ tracks: [TrackOffer]) -> OfferAnswer {
    let fragment = connection.peer.localUfrag
    if !connection.fragments.contains(fragment), let text = HeaderExtensionText(fragment) {
      connection.fragments.append(fragment)
      fragments[text] = connection.index
    }
    let accepted = connection.apply(tracks)
    settle(connection)
    touch(connection.meeting)
    let media = connection.peer.media
    return OfferAnswer(
      sdp: answer,
      accepted: Dictionary(
        uniqueKeysWithValues: media.filter { accepted.contains($0.mid) }.map { ($0.mid, $0.codecs) }),
      slots: media.filter { connection.slots[$0.mid] != nil }.map {
        NegotiatedSlot(mid: $0.mid, kind: $0.kind, codecs: $0.codecs)
      }, rejected: connection.peer.rejected)
  }

  func setMuted(_ muted: Bool, _ publication: PublicationID, of participant: ParticipantID) {
    guard let connection = connectionsByID[participant],
      let publication = connection.publications.values.first(where: { $0.id == publication })
    else { return }
    connection.meeting.router.setMuted(muted, publication)
    touch(connection.meeting)
  }

  func assign(_ changes: [SlotChange], of participant: ParticipantID) -> [MID] {
    guard let connection = connectionsByID[participant] else { return changes.map(\.mid) }
    let router = connection.meeting.router
    // Publications that another worker announced before this call are known here before they are looked for.
    if !links.isEmpty { receiveRelayed(loop.now) }
    var refused: [MID] = []
    for change in changes {
      guard let slot = connection.slots[change.mid] else {
        if change.publication != nil { refused.append(change.mid) }
        continue
      }
      router.setFollowsLoudest(change.followsLoudest, slot)
      if change.followsLoudest { continue }
      if let id = change.publication {
        if router.publication(id) == nil, router.attachWhenAnnounced(id, to: slot) { continue }
        guard let publication = router.publication(id), router.attach(publication, to: slot) else {
          router.detach(slot)
          refused.append(change.mid)
          continue
        }
      } else {
        router.cancelAwaiting(slot)
        router.detach(slot)
      }
    }
    touch(connection.meeting)
    return refused
  }

  func setPaused(_ paused: Bool, slot: MID, of participant: ParticipantID) {
    guard let connection = connectionsByID[participant], let slot = connection.slots[slot] else { return }
    connection.meeting.router.setPaused(paused, slot)
    touch(connection.meeting)
  }

  func setViews(_ views: [SlotSize], of participant: ParticipantID) {
    guard let connection = connectionsByID[participant] else { return }
    for view in views {
      guard let slot = connection.slots[view.mid] else { continue }
      connection.meeting.router.setWanted(
        width: view.width, height: view.height, frameRate: view.maximumFrameRate, slot, now: loop.now)
      connection.meeting.router.setPinned(view.isPinned, slot)
    }
    touch(connection.meeting)
  }

  func leave(_ participant: ParticipantID) {
    if let connection = connectionsByID[participant] { leave(connection) }
  }

  func leave(_ connection: Connection) {
    // The drops of connections that are gone stay counted.
    count(connection.peer.drops)
    connection.peer.close()
    while let datagram = connection.peer.pollTransmit() { send(datagram) }
    while let event = connection.peer.pollEvent() {
      if case .icePathForgotten(let path) = event {
        addresses.remove(path.remote, handle: path.handle, value: connection.index)
      }
    }
    connection.meeting.router.remove(connection.member)
    connection.meeting.events?.removeAll(of: connection.id, publications: connection.publications.values.map(\.id))
    for fragment in connection.fragments {
      if let text = HeaderExtensionText(fragment) { fragments[text] = nil }
    }
    addresses.removeAll(of: connection.index)
    deadlines.set(.distantFuture, for: deadlineID(connection))
    replaceConnection(at: connection.index, by: nil)
    connectionsByID[connection.id] = nil
    connection.meeting.participants -= 1
    touch(connection.meeting)
  }

  func close(meeting id: MeetingID) {
    guard let meeting = meetingsByID[id] else { return }
    for connection in connections {
      if let connection, connection.meeting === meeting { leave(connection) }
    }
    meeting.events?.finish()
    meeting.events = nil
    meeting.dataEvents?.finish()
    meeting.dataEvents = nil
    closeRelays(of: meeting)
    statistics.routing.add(meeting.router.counters)
    deadlines.set(.distantFuture, for: deadlineID(meeting))
    touched.remove(meeting)
    replaceMeeting(at: meeting.index, by: nil)
    meetingsByID[id] = nil
  }

  func connection(of participant: ParticipantID) -> Connection? { connectionsByID[participant] }

  func meeting(_ id: MeetingID) -> Meeting {
    if let known = meetingsByID[id] { return known }
    let index = meetings.firstIndex { $0 == nil } ?? meetings.count
    let meeting = Meeting(
      id: id, index: index,
      router: Router(
        clock: clock, seed: random.next(), audioLoudest: configuration.audioLoudest,
        maximumHold: configuration.maximumHold))
    replaceMeeting(at: index, by: meeting)
    meetingsByID[id] = meeting
    return meeting
  }
}
