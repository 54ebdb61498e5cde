import Foundation
import Parley

/// The sent and the muted tracks of a publisher, by the app's will and by a host's.
extension SessionEngine {
  func applyMutes(of publisher: OTPublisherKit, in session: OTSession) {
    guard let meeting, let work = published[ObjectIdentifier(publisher)], work.stream != nil else { return }
    let (sendsAudio, sendsVideo) = publisher.state.read { ($0.publishAudio, $0.publishVideo) }
    meeting.local.publication(work.kind.audio)?.setMuted(!sendsAudio)
    if let video = meeting.local.publication(work.kind.video), video.isMuted == sendsVideo {
      video.setMuted(!sendsVideo)
      tellPicture(of: publisher, isOn: sendsVideo, session)
    }
    refresh(work, session)
    for source in work.stopped where source == work.kind.audio ? sendsAudio : sendsVideo {
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
    for work in published.values where work.sends(publication) { turnOff(publication.source, work, session) }
  }

  /// A host has ended a track, or withdrawn the permission to send it: the other one continues, and a publisher of
  /// which nothing is left ends.
  ///
  /// A host who withdraws the permission to publish at all ends camera and microphone in two messages, which an app is
  /// to hear of as one end.
  func stoppedByHost(_ publication: LocalPublication, _ session: OTSession) {
    for work in published.values where work.sends(publication) {
      work.stopped.insert(publication.source)
      guard work.settling == nil else { continue }
      work.settling = Task { [weak self, weak session] in
        try? await Task.sleep(nanoseconds: Self.pairingTime)
        await work.sending?.value
        work.settling = nil
        guard let self, let session, self.published[ObjectIdentifier(work.publisher)] === work else { return }
        self.settleStops(of: work, session)
      }
    }
  }

  private func settleStops(of work: PublisherWork, _ session: OTSession) {
    let media = work.publisher.media
    let isSoundOver = !media.options.capturesAudio || work.stopped.contains(work.kind.audio)
    let isPictureOver = !media.options.capturesVideo || work.stopped.contains(work.kind.video)
    if isSoundOver, isPictureOver { return end(work, session) }
    for source in work.stopped { turnOff(source, work, session) }
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
    guard meeting.local.permissions.contains(source.permission) else { return turnOff(source, work, session) }
    work.stopped.remove(source)
    let before = work.sending
    work.sending = Task { [weak self] in
      await before?.value
      guard !work.isOver else { return }
      do {
        // Muted, so that turning it on is reported as ever.
        let new =
          source == work.kind.audio
          ? try await Self.sendSound(of: work, isMuted: true, meeting.local)
          : try await Self.sendPicture(of: work, isMuted: true, meeting.local)
        if let new { work.publications.append(new) }
        guard let self, self.meeting === meeting, !work.isOver else { return await Self.withdraw(work) }
        self.applyMutes(of: work.publisher, in: session)
      } catch {
        guard let self, self.meeting === meeting, !work.isOver else { return }
        work.stopped.insert(source)
        self.turnOff(source, work, session)
      }
    }
  }
}

extension PublisherWork {
  /// Whether a track is its own; while it is being published it is known by its source.
  fileprivate func sends(_ publication: LocalPublication) -> Bool {
    guard kind.audio == publication.source || kind.video == publication.source else { return false }
    return publications.isEmpty || publications.contains { $0 === publication }
  }
}

extension TrackSource {
  /// The permission to send it.
  fileprivate var permission: ParticipantPermission {
    switch self {
    case .microphone: .publishAudio
    case .camera: .publishVideo
    case .screen, .screenAudio: .publishScreen
    }
  }
}
