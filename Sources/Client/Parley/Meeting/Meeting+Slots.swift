import Basics
import Media
import RTC
import Signaling

extension Meeting {
  /// Makes subscriptions match what the slots carry, once the session has their m-sections.
  func applySlots() {
    guard !negotiation.isAnswered else { return }
    let carried = slots.carried
    for publication in participants.flatMap(\.publications) {
      if let subscription = publication.subscription, carried[publication.id] != subscription.mid {
        unsubscribe(publication)
      }
    }
    for participant in participants {
      for publication in participant.publications where publication.subscription == nil {
        if let mid = carried[publication.id] { subscribe(publication, mid: mid, of: participant) }
      }
    }
    if !views.isEmpty { viewChanged() }
  }

  private func subscribe(_ publication: RemotePublication, mid: MID, of participant: RemoteParticipant) {
    guard let connection else { return }
    let first: @Sendable () -> Void = { [weak self, weak publication] in
      let now = MonotonicClock.now
      Task { @MainActor in
        guard let self, let publication, let subscription = publication.subscription else { return }
        if publication.kind == .video, self.times.firstFrame == nil { self.times.firstFrame = now }
        self.emit(.firstFrame(subscription))
      }
    }
    let track: RemoteTrack
    let (id, source) = (participant.id, publication.source)
    switch publication.kind {
    case .video:
      let video = RemoteVideoTrack(
        onKeyframeNeeded: { [weak connection] in connection?.post { $0.requestKeyframe(mid, now: $1) } },
        onFirstFrame: first)
      connection.post { session, _ in session.show(mid: mid, in: video, participant: id, source: source) }
      track = .video(video)
    case .audio:
      let audio = RemoteAudioTrack(
        onListened: { [weak connection] listened in connection?.post { $0.setListened(listened, mid: mid, now: $1) } },
        onFirstFrame: first)
      connection.post { session, _ in session.play(mid: mid, in: audio, participant: id, source: source) }
      track = .audio(audio)
    }
    let subscription = Subscription(publication, track: track, mid: mid, meeting: self)
    publication.subscription = subscription
    emit(.subscribed(subscription))
    tellPause(subscription)
  }

  func unsubscribe(_ publication: RemotePublication) {
    guard let subscription = publication.subscription else { return }
    publication.subscription = nil
    let mid = subscription.mid
    switch subscription.track {
    case .video(let track):
      connection?.post { session, _ in session.clear(mid: mid, track: track) }
      track.finish()
    case .audio(let track):
      connection?.post { session, _ in session.clear(mid: mid, track: track) }
      track.finish()
    }
    emit(.unsubscribed(publication))
  }

  func dropSubscriptions() {
    slots.removeAll()
    views.removeAll()
    forgetCodecs()
    for publication in participants.flatMap(\.publications) { unsubscribe(publication) }
  }

  /// Offers more slots when the server asks for them, as far as ``JoinOptions/maximumSlots`` allows.
  func addSlots(audio: Int, video: Int) {
    guard let connection else { return }
    let limit = options.maximumSlots ?? .max
    connection.post { session, _ in session.ensureSlots(audio: min(audio, limit, 16), video: min(video, limit, 48)) }
    Task { [weak self] in await self?.renegotiate() }
  }
}
