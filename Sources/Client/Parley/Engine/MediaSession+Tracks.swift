import Basics
import Media
import RTC
import Signaling

extension MediaSession {
  /// Adds an own track to the next offer. Without a source it stays silent in an encrypted meeting.
  func addTrack(
    _ kind: MediaKind, codecs: [Codec], rids: [RID], publisher: any Publisher, source: TrackSource? = nil, now: Instant
  ) -> MID {
    let mid = peer.addTrack(kind, codecs: codecs, streamID: "parley", rids: rids)
    publishers[mid] = publisher
    encryption?.add(mid, source, now: now)
    return mid
  }

  /// Ends an own track with the next offer.
  func stopTrack(_ mid: MID, now: Instant) {
    encryption?.remove(mid, now: now)
    publishers.removeValue(forKey: mid)?.attach(nil)
    sendCodecs[mid] = nil
    try? peer.stop(mid)
  }

  /// Makes the next offer have at least so many slots.
  func ensureSlots(audio: Int, video: Int) {
    for (kind, wanted) in [(MediaKind.audio, audio), (.video, video)] {
      while slotCounts[kind, default: 0] < wanted {
        slotCounts[kind, default: 0] += 1
        let mid = peer.addSlot(kind, codecs: slotCodecs)
        slots[mid] =
          kind == .audio
          ? AudioSlot(mid: mid, isMixed: mixSink != nil, encryption: encryption)
          : VideoSlot(mid: mid, roundTripTime: roundTripTime, encryption: encryption)
      }
    }
  }

  /// Other credentials of the TURN servers, for relays from now on.
  func setCredentials(of servers: [IceServer]) { peer.setCredentials(of: servers) }

  /// The addresses at which the server says that it takes media.
  var serverAddresses: [IPAddress] {
    peer.remoteCandidates.compactMap { $0.transportAddress?.ip }.reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  func createOffer(restartsIce: Bool) -> Result<String, JoinError> {
    do throws(PeerConnectionError) {
      return .success(try peer.createOffer(restartsIce: restartsIce))
    } catch { return .failure(.mediaFailed("No offer could be made: \(error)")) }
  }

  /// Takes the answer, and connects each publisher with what was agreed for it.
  func setAnswer(_ answer: String, connection: MediaConnection?, now: Instant) -> Result<Void, JoinError> {
    markAllDue()
    do throws(PeerConnectionError) {
      try peer.setAnswer(answer, now: now)
    } catch { return .failure(.mediaFailed("The server's answer cannot be used: \(error)")) }
    sender.update(media: peer.media, cname: peer.cname)
    receiver.update(media: peer.media, cname: peer.cname, now: now)
    openDataChannels(now: now)
    guard let connection else { return .success(()) }
    for media in peer.media where media.role == .send { attach(media, connection) }
    return .success(())
  }

  /// Connects a publisher with its m-section.
  private func attach(_ media: NegotiatedMedia, _ connection: MediaConnection) {
    let requested = sendCodecs[media.mid]
    let codec = media.codecs.first { $0.codec == requested } ?? media.codecs.first
    guard let publisher = publishers[media.mid], let codec else { return }
    updateParameters(media.mid)
    publisher.attach(
      PublisherDestination(connection: connection, mid: media.mid, codec: codec.codec, rids: media.rids))
  }

  /// Sends an own track in another of its codecs; nil for the first of them.
  func setSendCodec(_ codec: Codec?, mid: MID, connection: MediaConnection) {
    guard sendCodecs[mid] != codec else { return }
    sendCodecs[mid] = codec
    if let media = peer.media.first(where: { $0.mid == mid && $0.role == .send }) { attach(media, connection) }
  }

  /// Reports the demand of a track's streams to the sender again.
  func updateParameters(_ mid: MID) {
    guard let publisher = publishers[mid], let media = peer.media.first(where: { $0.mid == mid }) else { return }
    for rid in media.rids.isEmpty ? [RID?.none] : media.rids.map(Optional.some) {
      sender.setParameters(publisher.parameters(rid), mid: mid, rid: rid)
    }
  }

  /// Sends a frame of an own track.
  func send(_ frame: EncodedFrame, mid: MID, rid: RID?, now: Instant) {
    guard peer.isConnected else { return }
    due.insert(.sender)
    // Off this path: what needs no keys pays for none.
    if let encryption { return sendSealed(frame, with: encryption, mid: mid, rid: rid, now: now) }
    sender.send(frame, mid: mid, rid: rid, now: now)
  }

  /// Asks for a keyframe of what a slot carries.
  func requestKeyframe(_ mid: MID, now: Instant) { receiver.requestKeyframe(mid, now: now) }
}
