import Foundation
import Parley

/// The sent and the muted tracks of a publisher, by the app's will and by a host's.
extension SessionEngine {
  func applyMutes(of publisher: OTPublisherKit, in session: OTSession) {
    guard let meeting, let work = published[ObjectIdentifier(publisher)], work.stream != nil else { return }
    let (sendsAudio, sendsVideo) = publisher.state.read { ($0.publishAudio, $0.publishVideo) }
    if work.tracks.applyMutes(by: meeting.local, sendsAudio: sendsAudio, sendsVideo: sendsVideo) {
      tellPicture(of: publisher, isOn: sendsVideo, session)
    }
    refresh(work, session)
    for source in work.tracks.stopped where source == work.kind.audio ? sendsAudio : sendsVideo {
      bringBack(source, work, meeting, session)
    }
  }

  private func tellPicture(of publisher: OTPublisherKit, isOn: Bool, _ session: OTSession) {
    session.tell { _ in
      if isOn {
        publisher.delegate?.publisherVideoEnabled(publisher, reason: .publisherPropertyChanged)
        publisher.delegate?.videoEnabled(publisher, reason: .publisherPropertyChanged)
      } else {
        publisher.delegate?.publisherVideoDisabled(publisher, reason: .publisherPropertyChanged)
        publisher.delegate?.videoDisabled(publisher, reason: .publisherPropertyChanged)
      }
    }
  }

  /// Updates the app's own stream with its sent tracks, for the app and for those who show it.
  private func refresh(_ work: PublisherWork, _ session: OTSession) {
    (work.publisher as? OTPublisher)?.viewIfAny?.refreshTools()
    guard let stream = work.stream, let entry = streams[stream.streamId] else { return }
    update(entry, facts(entry.participant, entry.kind), session)
    follow(entry, session)
  }

  // MARK: By a host

  /// A moderator mutes an own stream: as if somebody else had.
  func muteOwn(_ kind: StreamKind, _ session: OTSession) {
    guard let publication = meeting?.local.publication(kind.audio), !publication.isMuted else { return }
    publication.setMuted(true)
    mutedByHost(publication, session)
  }

  func mutedByHost(_ publication: LocalPublication, _ session: OTSession) {
    for work in published.values where work.tracks.owns(publication) { turnOff(publication.source, work, session) }
  }

  /// A host has ended a track, or withdrawn the permission to send it: the other one continues, and a publisher of
  /// which nothing is left ends.
  func stoppedByHost(_ publication: LocalPublication, _ session: OTSession) {
    for work in published.values where work.tracks.owns(publication) {
      work.tracks.markStopped(publication.source) { [weak self, weak session] in
        guard let self, let session, self.published[ObjectIdentifier(work.publisher)] === work else { return }
        if work.tracks.isStopped { return self.end(work, session) }
        for source in work.tracks.stopped { self.turnOff(source, work, session) }
      }
    }
  }

  /// The app's property follows what a host did, and the documented callback says so.
  private func turnOff(_ source: TrackSource, _ work: PublisherWork, _ session: OTSession) {
    let publisher = work.publisher
    if source == work.kind.audio {
      publisher.state.update { $0.publishAudio = false }
      session.tell { _ in publisher.delegate?.muteForced(publisher) }
    } else {
      publisher.state.update { $0.publishVideo = false }
      tellPicture(of: publisher, isOn: false, session)
    }
    refresh(work, session)
  }

  /// The app turns on what a host had ended. Without the right it is off again at once; with it a new track is sent.
  private func bringBack(_ source: TrackSource, _ work: PublisherWork, _ meeting: Meeting, _ session: OTSession) {
    let mayStart = work.tracks.restart(
      source, in: meeting, isCurrent: { [weak self] in self?.meeting === meeting },
      completion: { [weak self] isSent in
        guard let self else { return }
        if isSent { self.applyMutes(of: work.publisher, in: session) } else { self.turnOff(source, work, session) }
      })
    if !mayStart { turnOff(source, work, session) }
  }
}
