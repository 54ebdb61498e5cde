import Foundation
import Parley

extension SessionEngine {
  /// How long the first media of a stream is waited for.
  private static var patience: UInt64 { 20_000_000_000 }

  func subscribe(_ subscriber: OTSubscriberKit, _ number: Int, in session: OTSession) {
    func refuse(_ problem: OTError) {
      session.leavePlace(subscriber, number)
      subscriber.release(number)
      subscriber.fail(problem, session)
    }
    guard meeting != nil, isConnected else {
      return refuse(OTError(.subscriberSessionDisconnected, "The session is not connected any more."))
    }
    guard let stream = subscriber.stream, let entry = streams[stream.streamId], entry.stream === stream else {
      return refuse(OTError(.subscriberServerCannotFindStream, "The stream has ended, or is not one of the session."))
    }
    let work = SubscriberWork(subscriber, number, stream.streamId, isKept: !session.isLegacy)
    let id = ObjectIdentifier(subscriber)
    // Another thread may have ended it and not have come here yet.
    if let old = subscribed[id] { forget(id, old.number, in: session) }
    subscribed[id] = work
    prepare(work, session)
    work.timer = Task { [weak self, weak session] in
      try? await Task.sleep(nanoseconds: Self.patience)
      guard let self, let session, !Task.isCancelled, self.subscribed[id] === work, work.isConnecting else { return }
      self.subscribed[id] = nil
      work.reception.fail()
      let subscriber = work.subscriber
      if let subscriber { session.leavePlace(subscriber, number) }
      work.stop()
      subscriber?.fail(OTError(.connectionTimedOut, "Nothing of the stream came within 20 s."), session)
    }
    follow(entry, session)
  }

  private func prepare(_ work: SubscriberWork, _ session: OTSession) {
    guard let subscriber = work.subscriber else { return }
    work.view = (subscriber as? OTSubscriber)?.videoView
    let surface = work.view?.surface
    work.sink.state.exchange(\.render, with: subscriber.videoRender)
    work.sink.state.update { state in
      state.surface = surface
      state.onSize = { [weak self, weak work, weak session] size in
        onMain {
          if let self, let work, let session { self.sized(work.streamID, size, session) }
        }
      }
      state.onFirst = { [weak work, weak session] in
        onMain {
          guard let work, let session, !work.isOver else { return }
          Self.report(work.reception.receiveFirstFrame(), to: work, session)
        }
      }
    }
  }

  /// A subscriber is unsubscribed, or no more. It may have begun again by now, with another number.
  func forget(_ id: ObjectIdentifier, _ number: Int, in session: OTSession) {
    guard let work = subscribed[id], work.number == number else { return }
    subscribed[id] = nil
    if let subscriber = work.subscriber { session.leavePlace(subscriber, number) }
    work.stop()
    if let entry = streams[work.streamID] { follow(entry, session) }
  }

  func wantedChanged(of subscriber: OTSubscriberKit, in session: OTSession) {
    guard let work = subscribed[ObjectIdentifier(subscriber)], let entry = streams[work.streamID] else { return }
    work.sink.state.exchange(\.render, with: subscriber.videoRender)
    follow(entry, session)
  }

  /// Those who subscribe play what there is now; what nobody subscribes to is neither heard nor sent.
  func follow(_ entry: StreamEntry, _ session: OTSession) {
    guard let meeting else { return }
    let works = subscribed.values.filter { $0.streamID == entry.stream.streamId }
    if entry.participant == meeting.local.id {
      let own = published.values.first { $0.kind == entry.kind }?.publisher
      for work in works { followOwn(work, own, session) }
      return
    }
    guard let participant = meeting.participants.first(where: { $0.id == entry.participant }) else { return }
    participant.request(entry.kind, for: works.compactMap { $0.subscriber?.wanted })
    let (audio, video) = (participant.publication(entry.kind.audio), participant.publication(entry.kind.video))
    for work in works {
      guard let subscriber = work.subscriber else { continue }
      let wanted = subscriber.wanted
      work.receiver.play(wanted.video ? video?.subscription?.video : nil)
      work.receiver.measure(subscriber.audioLevelDelegate == nil ? nil : audio?.subscription?.audio)
      settle(
        work, participant.videoOff(entry.kind, for: wanted),
        isComplete: participant.isComplete(entry.kind, for: wanted),
        session)
    }
  }

  /// An own stream is shown as it is captured, and measured so; its audio stays off, since it would howl.
  private func followOwn(_ work: SubscriberWork, _ publisher: OTPublisherKit?, _ session: OTSession) {
    guard let subscriber = work.subscriber else { return }
    let wanted = subscriber.wanted
    let sends = publisher?.publishVideo == true
    work.receiver.play(own: wanted.video && sends ? publisher?.media : nil)
    work.ownSound = wanted.audio ? publisher : nil
    settle(work, !wanted.video ? .unwanted : !sends ? .muted : nil, isComplete: publisher != nil, session)
  }

  private func settle(
    _ work: SubscriberWork, _ off: StreamReception.VideoOff?, isComplete: Bool, _ session: OTSession
  ) {
    let events = work.reception.update(off: off, isComplete: isComplete, isSlow: slowness(of: work))
    if events.contains(.connected) { work.timer?.cancel() }
    Self.report(events, to: work, session)
  }

  /// Whether the network can hardly carry a subscriber's video; nil for an own stream, and for one without video.
  func slowness(of work: SubscriberWork) -> Bool? {
    guard let entry = streams[work.streamID], entry.participant != own?.connectionId,
      facts(entry.participant, entry.kind).hasVideo
    else { return nil }
    return isSlow
  }

  static func report(_ events: [StreamReception.Event], to work: SubscriberWork, _ session: OTSession) {
    guard let subscriber = work.subscriber else { return }
    for event in events { session.tell { _ in subscriber.report(event) } }
  }
}

/// On the session's queue.
extension OTSubscriberKit {
  fileprivate func report(_ event: StreamReception.Event) {
    switch event {
    case .connected: delegate?.subscriberDidConnect(toStream: self)
    case .firstFrame:
      guard let subscriber = self as? OTSubscriber else { return }
      (delegate as? any OTSubscriberDelegate)?.subscriberVideoDataReceived(subscriber)
    case .videoStopped(let off): delegate?.subscriberVideoDisabled(self, reason: off.reason)
    case .videoResumed(let off): delegate?.subscriberVideoEnabled(self, reason: off.reason)
    case .videoAtRisk: delegate?.subscriberVideoDisableWarning(self)
    case .videoSafe: delegate?.subscriberVideoDisableWarningLifted(self)
    case .interrupted: delegate?.subscriberDidDisconnect(fromStream: self)
    case .restored: delegate?.subscriberDidReconnect(toStream: self)
    }
  }

  /// The properties of the app, as Parley takes them.
  fileprivate var wanted: StreamRequest {
    let wanted = state.read { $0.wanted }
    return StreamRequest(
      audio: wanted.audio, video: wanted.video, volume: wanted.volume / 100,
      size: wanted.resolution.map { .init(width: Int(min($0.width, 65_535)), height: Int(min($0.height, 65_535))) },
      framesPerSecond: wanted.framesPerSecond)
  }
}

extension StreamReception.VideoOff {
  fileprivate var reason: OTSubscriberVideoEventReason {
    switch self {
    case .unwanted: .subscriberPropertyChanged
    case .muted: .publisherPropertyChanged
    case .undecodable: .codecNotSupported
    case .paused: .qualityChanged
    }
  }
}
