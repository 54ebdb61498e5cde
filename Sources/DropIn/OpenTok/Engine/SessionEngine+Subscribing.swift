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
      work.isConnecting = false
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
    work.sink.state.update { state in
      state.surface = surface
      state.render = subscriber.videoRender
      state.onSize = { [weak self, weak work, weak session] size in
        onMain {
          if let self, let work, let session { self.sized(work.streamID, size, session) }
        }
      }
      state.onFirst = { [weak work, weak session] in
        onMain {
          guard let work, let session, !work.isOver else { return }
          // The picture may be there before the sound, which is waited for.
          guard !work.isConnecting else { return work.owesFirstPicture = true }
          Self.tellFirstPicture(of: work, session)
        }
      }
    }
  }

  private static func tellFirstPicture(of work: SubscriberWork, _ session: OTSession) {
    guard let subscriber = work.subscriber as? OTSubscriber else { return }
    session.tell { _ in
      (subscriber.delegate as? any OTSubscriberDelegate)?.subscriberVideoDataReceived(subscriber)
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

  func wishChanged(of subscriber: OTSubscriberKit, in session: OTSession) {
    guard let work = subscribed[ObjectIdentifier(subscriber)], let entry = streams[work.streamID] else { return }
    work.sink.state.update { $0.render = subscriber.videoRender }
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
    let audio = participant.publication(entry.kind.audio)
    let video = participant.publication(entry.kind.video)
    let wishes = works.compactMap { $0.subscriber?.state.read { $0.wish } }
    audio?.subscription?.listen(wishes.contains(where: \.audio))
    audio?.subscription?.audio?.volume = wishes.filter(\.audio).map { $0.volume / 100 }.max() ?? 0
    if let subscription = video?.subscription { ask(for: subscription, wishes.filter(\.video)) }
    for work in works {
      guard let subscriber = work.subscriber else { continue }
      let wish = subscriber.state.read { $0.wish }
      work.play(video: wish.video ? video?.subscription?.video : nil)
      work.measure(audio: subscriber.audioLevelDelegate == nil ? nil : audio?.subscription?.audio)
      let off: OTSubscriberVideoEventReason? =
        !wish.video
        ? .subscriberPropertyChanged
        : video?.isMuted == true
          ? .publisherPropertyChanged
          : video?.undecodableCodec != nil
            ? .codecNotSupported : video?.subscription?.isPaused == true ? .qualityChanged : nil
      // Video that cannot be decoded is not waited for.
      let isComplete =
        (audio?.isMuted != false || audio?.subscription != nil || audio?.undecodableCodec != nil)
        && (video?.isMuted != false || !wish.video || video?.subscription != nil || video?.undecodableCodec != nil)
      settle(work, subscriber, off, isComplete: isComplete, session)
    }
  }

  /// Asks for video as large as the largest wish, and as often as the most frequent one; for none when nobody wants
  /// any.
  private func ask(for subscription: Subscription, _ wishes: [OTSubscriberKit.Wish]) {
    guard !wishes.isEmpty else { return subscription.show(width: 0, height: 0) }
    let most = Int(UInt16.max)
    let sizes = wishes.map { wish in
      wish.resolution.map { (Int(min($0.width, 65_535)), Int(min($0.height, 65_535))) } ?? (most, most)
    }
    subscription.show(width: sizes.map(\.0).max() ?? most, height: sizes.map(\.1).max() ?? most)
    let rates = wishes.map(\.framesPerSecond)
    subscription.maximumFramesPerSecond = rates.contains(nil) ? nil : rates.compactMap { $0 }.max()
  }

  /// An own stream is shown as it is captured, and measured so; its audio stays off, since it would howl.
  private func followOwn(_ work: SubscriberWork, _ publisher: OTPublisherKit?, _ session: OTSession) {
    guard let subscriber = work.subscriber else { return }
    let wish = subscriber.state.read { $0.wish }
    let sends = publisher?.publishVideo == true
    work.play(own: wish.video && sends ? publisher?.media : nil)
    work.ownSound = wish.audio ? publisher : nil
    settle(
      work, subscriber, !wish.video ? .subscriberPropertyChanged : !sends ? .publisherPropertyChanged : nil,
      isComplete: publisher != nil, session)
  }

  private func settle(
    _ work: SubscriberWork, _ subscriber: OTSubscriberKit, _ off: OTSubscriberVideoEventReason?, isComplete: Bool,
    _ session: OTSession
  ) {
    if work.isConnecting, isComplete {
      work.isConnecting = false
      work.timer?.cancel()
      // The stream itself says whether its publisher sends video; nothing else reports its codec.
      work.off = off == .codecNotSupported ? nil : off
      session.tell { _ in subscriber.delegate?.subscriberDidConnect(toStream: subscriber) }
      if work.owesFirstPicture { Self.tellFirstPicture(of: work, session) }
      warn(work, session)
    }
    guard !work.isConnecting, off != work.off else { return }
    let before = work.off
    work.off = off
    session.tell { _ in
      if let off {
        subscriber.delegate?.subscriberVideoDisabled(subscriber, reason: off)
      } else if let before {
        subscriber.delegate?.subscriberVideoEnabled(subscriber, reason: before)
      }
    }
    // The warned-of loss has come; another warning is one of its own.
    if off != nil { work.isWarned = false }
    warn(work, session)
  }
}
