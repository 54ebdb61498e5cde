import Foundation
import Parley

/// A publisher of this client in the meeting, and its stream.
@MainActor final class PublisherWork {
  let publisher: OTPublisherKit
  /// Of the publisher's ``Membership``.
  let number: Int
  let kind: StreamKind
  var stream: OTStream?
  let tracks: StreamPublisher
  let start = Date().timeIntervalSince1970 * 1_000
  /// The stream as its delegate of statistics last saw it.
  var quality = StreamQuality()

  init(_ publisher: OTPublisherKit, _ number: Int) {
    self.publisher = publisher
    self.number = number
    kind = StreamKind(publisher.videoType)
    tracks = StreamPublisher(kind, publisher.media) { publisher.wanted }
  }
}

extension OTPublisherKit {
  /// The name that the app has given; nil when it has given none.
  var streamName: String? { name.flatMap { $0.isEmpty ? nil : $0 } }

  fileprivate var wanted: StreamPublisher.Wanted {
    let (sendsAudio, sendsVideo, name) = state.read { ($0.publishAudio, $0.publishVideo, $0.name) }
    return StreamPublisher.Wanted(
      sendsAudio: sendsAudio, sendsVideo: sendsVideo, name: name.flatMap { $0.isEmpty ? nil : $0 },
      bitrate: bitrateLimit.map { DataRate(bitsPerSecond: $0) })
  }
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
    if let name = publisher.streamName, work.kind == .camera { meeting.local.rename(name) }
    work.tracks.publish(
      in: meeting, after: withdrawal, isCurrent: { [weak self] in self?.meeting === meeting },
      completion: { [weak self] error in
        guard let self else { return }
        guard let error else { return self.began(work, session) }
        self.published[ObjectIdentifier(publisher)] = nil
        publisher.media.stopAudio()
        let reason =
          (error as? StreamPublisher.CaptureFailure)?.reason ?? "The server did not take the stream: \(error)"
        self.giveUp(publisher, number, OTError(.publisherWebRTCError, reason), session)
      })
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
    let entry = makeEntry(own.connectionId, work.kind, own, name: publisher.streamName, session)
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
    withdrawal = work.tracks.withdraw(after: withdrawal)
  }

  /// Reports that the publisher is not published any more. Its view stays when it has begun again.
  func finish(_ work: PublisherWork, _ session: OTSession, removesView: Bool) {
    work.tracks.isOver = true
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
      let stream = makeEntry(own.connectionId, work.kind, own, name: work.publisher.streamName, session).stream
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
