import Foundation
import Parley

/// A publisher of this client in the meeting, and its stream.
@MainActor final class PublisherWork {
  let publisher: OTPublisherKit
  /// Of the publisher's ``Membership``.
  let number: Int
  let kind: StreamKind
  var stream: OTStream?
  var isOver = false
  /// The publications made for it. The same sources may be another publisher's by the time that it is over.
  var publications: [LocalPublication] = []
  /// The publishing under way; the next publisher of these sources waits for it.
  var sending: Task<Void, Never>?
  /// Sources that a host has ended. They come again when the app turns them on and may send them.
  var stopped: Set<TrackSource> = []
  /// Waits for what else a host ends at the same time.
  var settling: Task<Void, Never>?
  let start = Date().timeIntervalSince1970 * 1_000

  init(_ publisher: OTPublisherKit, _ number: Int) {
    self.publisher = publisher
    self.number = number
    kind = StreamKind(publisher.videoType)
  }

  /// The stream's name for the others; nil for that of its sender.
  var name: String? { publisher.name.flatMap { $0.isEmpty ? nil : $0 } }
}

extension SessionEngine {
  func publish(_ publisher: OTPublisherKit, _ number: Int, in session: OTSession) {
    guard let meeting, isConnected else {
      return giveUp(publisher, number, OTError(.sessionDisconnected, "The session is not connected any more."), session)
    }
    // Another thread may have ended it and not have come here yet.
    if let old = published[ObjectIdentifier(publisher)] { end(old, session) }
    let work = PublisherWork(publisher, number)
    published[ObjectIdentifier(publisher)] = work
    if let name = publisher.name, !name.isEmpty, work.kind == .camera { meeting.local.rename(name) }
    publisher.media.startAudio()
    let withdrawal = withdrawal
    work.sending = Task { [weak self] in
      await withdrawal?.value
      guard !work.isOver else { return }
      do {
        if let problem = await publisher.media.videoProblem() { throw OTError(.publisherWebRTCError, problem) }
        if let problem = await publisher.media.audioProblem() { throw OTError(.publisherWebRTCError, problem) }
        guard !work.isOver else { return }
        try await Self.send(work, meeting)
        guard let self, self.meeting === meeting, !work.isOver else { return await Self.withdraw(work) }
        self.began(work, session)
      } catch {
        guard let self, self.meeting === meeting, !work.isOver else { return }
        self.published[ObjectIdentifier(publisher)] = nil
        publisher.media.stopAudio()
        let problem =
          error as? OTError ?? OTError(.publisherWebRTCError, "The server did not take the stream: \(error)")
        self.giveUp(publisher, number, problem, session)
      }
    }
  }

  /// Both tracks in one offer.
  private static func send(_ work: PublisherWork, _ meeting: Meeting) async throws {
    let (sendsAudio, sendsVideo) = work.publisher.state.read { ($0.publishAudio, $0.publishVideo) }
    let local = meeting.local
    let first = Task { try await Self.sendPicture(of: work, isMuted: !sendsVideo, local) }
    let second = Task { try await Self.sendSound(of: work, isMuted: !sendsAudio, local) }
    let results = [await first.result, await second.result]
    work.publications = results.compactMap { try? $0.get() }
    do {
      for result in results { _ = try result.get() }
    } catch {
      await withdraw(work)
      throw error
    }
  }

  /// nil when the publisher has no video.
  static func sendPicture(
    of work: PublisherWork, isMuted: Bool, _ local: LocalParticipant
  ) async throws -> LocalPublication? {
    let bitrate = work.publisher.bitrateLimit.map { DataRate(bitsPerSecond: $0) }
    return try await work.publisher.media.publishVideo(
      of: work.kind, by: local, bitrate: bitrate, name: work.name, isMuted: isMuted)
  }

  /// nil when the publisher has no audio.
  static func sendSound(
    of work: PublisherWork, isMuted: Bool, _ local: LocalParticipant
  ) async throws -> LocalPublication? {
    try await work.publisher.media.publishAudio(of: work.kind, by: local, name: work.name, isMuted: isMuted)
  }

  static func withdraw(_ work: PublisherWork) async {
    for publication in work.publications { await publication.unpublish() }
  }

  private func giveUp(_ publisher: OTPublisherKit, _ number: Int, _ problem: OTError, _ session: OTSession) {
    session.change { $0.freePlace(of: publisher, number) }
    publisher.release(number)
    publisher.fail(problem, session)
  }

  /// The app's capturer does not start: the publisher ends, if it is published or about to be.
  func captureFailed(_ publisher: OTPublisherKit, _ problem: String, in session: OTSession) {
    guard let work = published[ObjectIdentifier(publisher)] else { return }
    end(work, session)
    publisher.fail(OTError(.publisherWebRTCError, problem), session)
  }

  /// The frames of a publisher have another size now.
  func captured(_ size: CGSize, by publisher: OTPublisherKit, in session: OTSession) {
    guard let stream = published[ObjectIdentifier(publisher)]?.stream else { return }
    sized(stream.streamId, size, session)
  }

  private func began(_ work: PublisherWork, _ session: OTSession) {
    guard let own else { return }
    let publisher = work.publisher
    let entry = makeEntry(own.connectionId, work.kind, own, name: publisher.name, session)
    let stream = entry.stream
    work.stream = stream
    if let size = publisher.media.frameSize { sized(stream.streamId, CGSize(size), session) }
    session.tell { session in publisher.began(stream, session) }
    // Toggles made in between.
    applyMutes(of: publisher, in: session)
  }

  /// A publisher is unpublished. It may have begun again by now, with another number.
  func unpublish(_ publisher: OTPublisherKit, _ number: Int, in session: OTSession) {
    guard let work = published[ObjectIdentifier(publisher)], work.number == number else { return }
    end(work, session)
  }

  func end(_ work: PublisherWork, _ session: OTSession) {
    published[ObjectIdentifier(work.publisher)] = nil
    work.publisher.media.stopAudio()
    finish(work, session, removesView: session.isLegacy)
    let (before, sending) = (withdrawal, work.sending)
    withdrawal = Task {
      await before?.value
      await sending?.value
      await Self.withdraw(work)
    }
  }

  /// Reports that the publisher is not published any more. Its view stays when it has begun again.
  func finish(_ work: PublisherWork, _ session: OTSession, removesView: Bool) {
    work.isOver = true
    let (publisher, stream, number) = (work.publisher, work.stream, work.number)
    let isLatest = publisher.state.read { $0.membership.number == number }
    if let stream {
      streams[stream.streamId] = nil
      endSubscribers(of: stream.streamId, session)
    }
    if removesView, isLatest { (publisher as? OTPublisher)?.viewIfAny?.removeFromSuperview() }
    session.tell { session in
      session.change { $0.freePlace(of: publisher, number) }
      publisher.release(number)
      if let stream { publisher.ended(stream, session) }
    }
  }

  /// After a session was lost permanently the app has another connection: its streams have ended with the old one, and
  /// others have begun.
  func replaceOwnStreams(_ session: OTSession) {
    guard let own else { return }
    for work in published.values {
      guard let old = work.stream else { continue }
      streams[old.streamId] = nil
      endSubscribers(of: old.streamId, session)
      let stream = makeEntry(own.connectionId, work.kind, own, name: work.publisher.name, session).stream
      work.stream = stream
      if let size = work.publisher.media.frameSize { sized(stream.streamId, CGSize(size), session) }
      let publisher = work.publisher
      session.tell { session in
        publisher.ended(old, session)
        publisher.began(stream, session)
      }
    }
  }
}

/// On the session's queue.
extension OTPublisherKit {
  /// It is a stream of the session now: changes the properties, and reports it.
  fileprivate func began(_ stream: OTStream, _ session: OTSession) {
    state.update { $0.stream = stream }
    session.change { $0.streams[stream.streamId] = stream }
    delegate?.publisher(self, streamCreated: stream)
    guard session.isLegacy else { return }
    delegate?.publisherDidStartStreaming(self)
    session.announce(stream)
  }

  /// It is none any more.
  fileprivate func ended(_ stream: OTStream, _ session: OTSession) {
    session.change { $0.streams[stream.streamId] = nil }
    state.update { $0.stream = nil }
    delegate?.publisher(self, streamDestroyed: stream)
    guard session.isLegacy else { return }
    delegate?.publisherDidStopStreaming(self)
    session.announceEnd(of: stream)
  }
}
