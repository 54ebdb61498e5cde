import Foundation
import Parley

/// What this client publishes, and as which stream.
@MainActor final class PublisherWork {
  let publisher: OTPublisherKit
  let kind: StreamKind
  var stream: OTStream?
  var isOver = false
  /// What was published for it. The same sources may be somebody else's by the time that it is over.
  var publications: [LocalPublication] = []
  let start = Date().timeIntervalSince1970 * 1_000

  init(_ publisher: OTPublisherKit) {
    self.publisher = publisher
    kind = StreamKind(publisher.videoType)
  }
}

extension SessionEngine {
  func publish(_ publisher: OTPublisherKit, in session: OTSession) {
    guard let meeting, isConnected else {
      return giveUp(publisher, OTError(.sessionDisconnected, "The session is not connected any more."), session)
    }
    let work = PublisherWork(publisher)
    published[ObjectIdentifier(publisher)] = work
    if let name = publisher.name, !name.isEmpty, work.kind == .camera { meeting.local.rename(name) }
    publisher.media.captureSound()
    let withdrawal = withdrawal
    Task { [weak self] in
      await withdrawal?.value
      guard !work.isOver else { return }
      do {
        try await Self.send(work, meeting)
        guard let self, self.meeting === meeting, !work.isOver else { return await Self.withdraw(work) }
        self.began(work, session)
      } catch {
        guard let self, self.meeting === meeting, !work.isOver else { return }
        self.published[ObjectIdentifier(publisher)] = nil
        publisher.media.stopSound()
        self.giveUp(publisher, OTError(.publisherWebRTCError, "The server did not take the stream: \(error)"), session)
      }
    }
  }

  /// Both tracks in one offer.
  private static func send(_ work: PublisherWork, _ meeting: Meeting) async throws {
    let (publisher, kind, local) = (work.publisher, work.kind, meeting.local)
    let (sendsAudio, sendsVideo) = publisher.state.read { ($0.publishAudio, $0.publishVideo) }
    let media = publisher.media
    var options = VideoOptions(isScreen: kind == .screen)
    if let limit = publisher.bitrateLimit {
      options.maximumBitrate = max(DataRate(bitsPerSecond: limit), .kilobits(10))
    }
    let name = publisher.name.flatMap { $0.isEmpty ? nil : $0 }
    options.simulcast = kind == .screen && media.scalesScreen
    let sound = media.hasAudio ? LocalAudioTrack(media.sound, options: media.audioOptions) : nil
    let picture = media.hasVideo ? LocalVideoTrack(media.pictures, options: options) : nil
    let first = Task { () -> LocalPublication? in
      guard let picture else { return nil }
      return try await local.publish(picture, as: kind.video, isMuted: !sendsVideo, name: name)
    }
    let second = Task { () -> LocalPublication? in
      guard let sound else { return nil }
      return try await local.publish(sound, as: kind.audio, isMuted: !sendsAudio, name: name)
    }
    let results = [await first.result, await second.result]
    work.publications = results.compactMap { try? $0.get() }
    do {
      for result in results { _ = try result.get() }
    } catch {
      await withdraw(work)
      throw error
    }
  }

  private static func withdraw(_ work: PublisherWork) async {
    for publication in work.publications { await publication.unpublish() }
  }

  private func giveUp(_ publisher: OTPublisherKit, _ problem: OTError, _ session: OTSession) {
    session.change { state in state.publishers.removeAll { $0 === publisher } }
    publisher.release()
    publisher.fail(problem, session)
  }

  private func began(_ work: PublisherWork, _ session: OTSession) {
    guard let own else { return }
    let publisher = work.publisher
    let entry = makeEntry(own.connectionId, work.kind, own, name: publisher.name, session)
    let stream = entry.stream
    work.stream = stream
    session.tell { session in
      publisher.state.update { $0.stream = stream }
      session.change { $0.streams[stream.streamId] = stream }
      publisher.delegate?.publisher(publisher, streamCreated: stream)
      guard session.isLegacy else { return }
      publisher.delegate?.publisherDidStartStreaming(publisher)
      session.announce(stream)
    }
    // What was toggled meanwhile.
    applyMutes(of: publisher, in: session)
  }

  func unpublish(_ publisher: OTPublisherKit, in session: OTSession) {
    guard let work = published.removeValue(forKey: ObjectIdentifier(publisher)) else { return }
    publisher.media.stopSound()
    finish(work, session, removesView: session.isLegacy)
    let before = withdrawal
    withdrawal = Task {
      await before?.value
      await Self.withdraw(work)
    }
  }

  /// The publisher is not published any more: tells it.
  func finish(_ work: PublisherWork, _ session: OTSession, removesView: Bool) {
    work.isOver = true
    let (publisher, stream) = (work.publisher, work.stream)
    if let stream {
      streams[stream.streamId] = nil
      endSubscribers(of: stream.streamId, session)
    }
    if removesView { (publisher as? OTPublisher)?.viewIfAny?.removeFromSuperview() }
    session.tell { session in
      session.change { state in
        if let stream { state.streams[stream.streamId] = nil }
        state.publishers.removeAll { $0 === publisher }
      }
      publisher.release()
      guard let stream else { return }
      publisher.delegate?.publisher(publisher, streamDestroyed: stream)
      guard session.isLegacy else { return }
      publisher.delegate?.publisherDidStopStreaming(publisher)
      session.announceEnd(of: stream)
    }
  }

  // MARK: Muting

  func applyMutes(of publisher: OTPublisherKit, in session: OTSession) {
    guard let meeting, let work = published[ObjectIdentifier(publisher)], let stream = work.stream else { return }
    let (sendsAudio, sendsVideo) = publisher.state.read { ($0.publishAudio, $0.publishVideo) }
    meeting.local.publication(work.kind.audio)?.setMuted(!sendsAudio)
    if let video = meeting.local.publication(work.kind.video), video.isMuted == sendsVideo {
      video.setMuted(!sendsVideo)
      session.tell { _ in
        if sendsVideo {
          publisher.delegate?.publisherVideoEnabled(publisher, reason: .publisherPropertyChanged)
          publisher.delegate?.videoEnabled(publisher, reason: .publisherPropertyChanged)
        } else {
          publisher.delegate?.publisherVideoDisabled(publisher, reason: .publisherPropertyChanged)
          publisher.delegate?.videoDisabled(publisher, reason: .publisherPropertyChanged)
        }
      }
    }
    guard let entry = streams[stream.streamId] else { return }
    update(entry, facts(entry.participant, entry.kind), session)
    follow(entry, session)
  }

  func mutedByHost(_ source: TrackSource, _ session: OTSession) {
    for work in published.values where work.kind.audio == source {
      let publisher = work.publisher
      publisher.state.update { $0.publishAudio = false }
      if let stream = work.stream, let entry = streams[stream.streamId] {
        update(entry, facts(entry.participant, entry.kind), session)
      }
      session.tell { _ in publisher.delegate?.muteForced(publisher) }
    }
  }

  /// A moderator has ended what was published, or taken the right to publish.
  func stoppedByHost(_ source: TrackSource, _ session: OTSession) {
    for work in Array(published.values) where work.kind.video == source || work.kind.audio == source {
      unpublish(work.publisher, in: session)
    }
  }

  /// After a place was lost for good the own id is another one, and so are those of the own streams.
  func renameOwnStreams(_ session: OTSession) {
    guard let own else { return }
    for work in published.values {
      guard let old = work.stream else { continue }
      streams[old.streamId] = nil
      let stream = makeEntry(own.connectionId, work.kind, own, name: work.publisher.name, session).stream
      work.stream = stream
      for other in subscribed.values where other.streamID == old.streamId { other.streamID = stream.streamId }
      let publisher = work.publisher
      session.tell { session in
        publisher.state.update { $0.stream = stream }
        session.change { state in
          state.streams[old.streamId] = nil
          state.streams[stream.streamId] = stream
        }
      }
    }
  }
}
