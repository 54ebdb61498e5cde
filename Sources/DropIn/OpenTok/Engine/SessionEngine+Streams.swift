import Foundation
import Parley

/// The streams of the session: what each participant publishes, put together as OpenTok counts it.
extension SessionEngine {
  func facts(_ id: String, _ kind: StreamKind) -> StreamState { meeting?.stream(kind, of: id) ?? StreamState() }

  /// Something of a participant has changed.
  func changed(_ id: String, _ session: OTSession) {
    for kind in StreamKind.allCases { compare(id, kind, session) }
  }

  private func compare(_ participant: String, _ kind: StreamKind, _ session: OTSession) {
    let id = kind.id(participant)
    let facts = facts(participant, kind)
    guard let entry = streams[id] else {
      // The app's own stream begins when it is published, which is reported there.
      if facts.isPublished, participant != own?.connectionId { pair(participant, kind, session) }
      return
    }
    guard facts.isPublished else {
      if participant != own?.connectionId { destroy(id, session) }
      return
    }
    update(entry, facts, session)
    follow(entry, session)
  }

  private func pair(_ participant: String, _ kind: StreamKind, _ session: OTSession) {
    let id = kind.id(participant)
    pairing.wait(for: id) { [weak self, weak session] in
      guard let self, let session, self.streams[id] == nil, self.facts(participant, kind).isPublished else { return }
      self.create(participant, kind, session)
    }
  }

  /// There is a stream of somebody else.
  func create(_ participant: String, _ kind: StreamKind, _ session: OTSession) {
    guard let connection = connections[participant] else { return }
    let entry = makeEntry(participant, kind, connection, name: nil, session)
    let stream = entry.stream
    session.tell { session in
      session.change { $0.streams[stream.streamId] = stream }
      session.announce(stream)
    }
    follow(entry, session)
  }

  func makeEntry(
    _ participant: String, _ kind: StreamKind, _ connection: OTConnection, name: String?, _ session: OTSession
  ) -> StreamEntry {
    let facts = facts(participant, kind)
    let stream = OTStream(
      id: kind.id(participant), connection: connection, creationTime: facts.created ?? Date(), videoType: kind.type,
      properties: .init(name: name ?? facts.name, hasAudio: facts.hasAudio, hasVideo: facts.hasVideo), session: session)
    let entry = StreamEntry(stream: stream, participant: participant, kind: kind)
    streams[stream.streamId] = entry
    return entry
  }

  func update(_ entry: StreamEntry, _ facts: StreamState, _ session: OTSession) {
    let isOwn = entry.participant == own?.connectionId
    let stream = entry.stream
    session.tell { _ in
      var properties = stream.properties
      (properties.hasAudio, properties.hasVideo) = (facts.hasAudio, facts.hasVideo)
      // The name of an own stream is the publisher's.
      if !isOwn { properties.name = facts.name }
      stream.take(properties)
    }
  }

  /// The size of a stream's video became known.
  func sized(_ id: String, _ size: CGSize, _ session: OTSession) {
    guard let stream = streams[id]?.stream else { return }
    let watchers = subscribed.values.filter { $0.streamID == id }.compactMap(\.subscriber)
    session.tell { _ in
      var properties = stream.properties
      guard properties.videoDimensions != size else { return }
      properties.videoDimensions = size
      stream.take(properties)
      for subscriber in watchers {
        (subscriber.delegate as? any OTSubscriberDelegate)?.stream(stream, didChangeVideoDimensions: size)
      }
    }
  }

  /// A stream of somebody else has ended.
  func destroy(_ id: String, _ session: OTSession) {
    pairing.cancel(id)
    guard let entry = streams.removeValue(forKey: id) else { return }
    endSubscribers(of: id, session)
    let stream = entry.stream
    session.tell { session in
      session.change { $0.streams[id] = nil }
      session.announceEnd(of: stream)
    }
  }

  /// The stream is gone: its subscribers end, and their views leave their superviews.
  func endSubscribers(of id: String, _ session: OTSession) {
    for (key, work) in subscribed where work.streamID == id {
      subscribed[key] = nil
      if work.isConnecting {
        work.subscriber?.fail(OTError(.subscriberServerCannotFindStream, "The stream has ended."), session)
      }
      if let subscriber = work.subscriber { session.leavePlace(subscriber, work.number) }
      work.stop()
    }
  }
}

extension OTSession {
  /// Reports a stream in the words of the session's version.
  func announce(_ stream: OTStream) {
    guard let delegate else { return }
    if isLegacy {
      delegate.session(self, didReceive: stream)
      delegate.session(self, didReceiveStream: stream)
    } else {
      delegate.session(self, streamCreated: stream)
    }
  }

  func announceEnd(of stream: OTStream) {
    guard let delegate else { return }
    if isLegacy {
      delegate.session(self, didDrop: stream)
      delegate.session(self, didDropStream: stream)
    } else {
      delegate.session(self, streamDestroyed: stream)
    }
  }
}
