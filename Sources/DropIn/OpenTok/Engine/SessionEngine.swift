import Foundation
import Parley

/// The work behind ``OTSession``: one meeting, reported in OpenTok's callbacks.
@MainActor final class SessionEngine {
  weak var session: OTSession?
  let settings: OTSessionSettings.Values
  /// How long a lost connection is brought back.
  var reconnectTimeout = JoinOptions().reconnectTimeout
  var codecs = JoinOptions().codecs
  /// Whether the token's role allows signals.
  nonisolated let maySignal = Guarded(false)
  /// How many signals the server has not answered yet, those included that the engine has not come to.
  nonisolated let signalsUnderWay = Guarded(0)

  var meeting: Meeting?
  /// Whether it connects or is connected. Each time that it does has one end, however many there are who end it.
  private var isUnderWay = false
  /// Whether `sessionDidConnect` was called for ``meeting``.
  var isConnected = false
  var isReconnecting = false
  /// Whether media was lost, and the subscribers were notified.
  var isInterrupted = false
  /// Whether the app's network can hardly carry its media.
  var isSlow = false
  var own: OTConnection?
  /// Everybody, this client included, by id.
  var connections: [String: OTConnection] = [:]
  var streams: [String: StreamEntry] = [:]
  /// Streams whose first track is there and whose second is waited for.
  let pairing = StreamPairing()
  var published: [ObjectIdentifier: PublisherWork] = [:]
  /// The unpublishing under way. The next publisher waits for it, as it may be of the same source.
  var withdrawal: Task<Void, Never>?
  var subscribed: [ObjectIdentifier: SubscriberWork] = [:]
  var reading: Task<Void, Never>?
  var meter: Task<Void, Never>?
  var rateMeter = TrackRateMeter()

  nonisolated init(_ settings: OTSessionSettings.Values) { self.settings = settings }

  // MARK: Connecting

  func connect(_ session: OTSession, apiKey: String?, token: String) {
    isUnderWay = true
    if let problem = Credentials.problem(apiKey: apiKey, sessionId: session.sessionId, token: token) {
      return failed(problem, session)
    }
    var address = settings.apiURL?.absoluteString ?? ParleyServer.url
    if address.hasSuffix("/") { address.removeLast() }
    let allowed = CharacterSet(charactersIn: "-_.~").union(.alphanumerics)
    let room = session.sessionId.addingPercentEncoding(withAllowedCharacters: allowed) ?? session.sessionId
    let meeting: Meeting
    do throws(JoinError) {
      meeting = try Meeting(
        "\(address)/\(room)", token: Secret(token), name: "Guest", options: options(of: session))
    } catch {
      // Either the server's address is invalid, or the session id isn't a name of a meeting.
      let isServer = (try? MeetingAddress("\(address)/session")) != nil
      return failed(OTError(isServer ? .errorInvalidSession : error.sessionCode, error.description), session)
    }
    self.meeting = meeting
    let events = meeting.events
    // The session is held while it connects, as the app may have let go of it before it hears.
    reading = Task { [weak self] in
      for await event in events {
        guard let self, self.meeting === meeting, let session = self.session else { return }
        self.take(event, meeting, session)
      }
    }
    Task { [weak self] in
      do throws(JoinError) { try await meeting.join() } catch {
        guard let self, self.meeting === meeting else { return }
        self.meeting = nil
        self.failed(OTError(error.sessionCode, error.description), session)
      }
    }
  }

  private func options(of session: OTSession) -> JoinOptions {
    var options = JoinOptions()
    options.client = "opentok-swift"
    options.linkSecret = session.state.secret?.linkSecret
    options.reconnectTimeout = reconnectTimeout
    options.codecs = codecs
    guard let ice = settings.iceConfig?.values else { return options }
    options.usesOnlyRelays = ice.transportPolicy == .relay
    options.iceServers = ice.servers.map {
      let isPlain = $0.userName.isEmpty && $0.credential.isEmpty
      return IceServer(
        urls: [$0.url], username: isPlain ? nil : $0.userName, credential: isPlain ? nil : Secret($0.credential))
    }
    options.usesOnlyOwnIceServers = ice.includeServers == .custom
    return options
  }

  private func failed(_ problem: OTError, _ session: OTSession) {
    isUnderWay = false
    let error = session.isLegacy ? problem.asLegacy() : problem
    session.tell { session in
      session.change { $0.status = .failed }
      session.delegate?.session(session, didFailWithError: error)
    }
  }

  /// The meeting is joined: reports it, its connections and its streams.
  func begin(_ meeting: Meeting, _ session: OTSession) {
    // The app has ended it already, and what does that is on its way here.
    guard session.state.status != .disconnecting else { return }
    isConnected = true
    (isReconnecting, isInterrupted, isSlow) = (false, false, false)
    let own = connection(meeting.local.id, meeting.local.created, meeting.local.data)
    self.own = own
    connections = [own.connectionId: own]
    let capabilities = takePermissions(of: meeting)
    meeting.playSound(to: MeetingSpeaker(of: self))
    AudioHub.shared.addListener(self)
    session.tell { session in
      session.change { state in
        // Another thread may have ended it in between.
        if state.status == .connecting { state.status = .connected }
        (state.connection, state.capabilities) = (own, capabilities)
        (state.connections, state.streams) = ([own.connectionId], [:])
      }
      session.delegate?.sessionDidConnect(session)
    }
    for participant in meeting.participants { appeared(participant, session) }
    for participant in meeting.participants {
      for kind in StreamKind.allCases where facts(participant.id, kind).isPublished {
        create(participant.id, kind, session)
      }
    }
    startMeter()
  }

  func takePermissions(of meeting: Meeting) -> OTSessionCapabilities {
    let may = meeting.local.permissions
    maySignal.update { $0 = may.contains(.data) }
    return OTSessionCapabilities(
      canPublish: !may.isDisjoint(with: [.publishAudio, .publishVideo, .publishScreen]),
      canSubscribe: may.contains(.subscribe), canForceMute: may.contains(.moderate),
      canForceDisconnect: may.contains(.moderate))
  }

  func connection(_ id: String, _ created: Date?, _ data: String?) -> OTConnection {
    OTConnection(connectionId: id, creationTime: created ?? Date(), data: data)
  }

  // MARK: The end

  func disconnect(_ session: OTSession) {
    // The server has ended it a moment before, which is reported.
    guard isUnderWay else { return }
    let meeting = self.meeting
    clear(session)
    session.tell { session in
      session.change { $0.end(.notConnected) }
      session.delegate?.sessionDidDisconnect(session)
    }
    if let meeting { Task { await meeting.leave() } }
  }

  func ended(_ reason: EndReason, _ message: String, _ session: OTSession) {
    let isLost = reason == .connectionLost || reason == .failed
    let problem = isLost ? OTError(.connectionDropped, message) : nil
    clear(session)
    let error = session.isLegacy ? problem?.asLegacy() : problem
    session.tell { session in
      session.change { $0.end(isLost ? .failed : .notConnected) }
      if let error { session.delegate?.session(session, didFailWithError: error) }
      session.delegate?.sessionDidDisconnect(session)
    }
  }

  /// Ends everything of the connection. Publishers are notified; views leave their superviews.
  private func clear(_ session: OTSession?) {
    meeting = nil
    isUnderWay = false
    isConnected = false
    reading?.cancel()
    meter?.cancel()
    pairing.cancelAll()
    AudioHub.shared.removeListener(self)
    for work in subscribed.values {
      if let session, let subscriber = work.subscriber { session.leavePlace(subscriber, work.number) }
      work.stop()
    }
    subscribed = [:]
    for work in published.values {
      if let session { finish(work, session, removesView: true) }
      work.publisher.media.stopAudio()
    }
    published = [:]
    streams = [:]
    connections = [:]
    own = nil
    maySignal.update { $0 = false }
  }

  /// The app has let go of the session.
  func abandon() {
    let meeting = self.meeting
    clear(nil)
    if let meeting { Task { await meeting.leave() } }
  }
}

extension OTSession.State {
  /// A publisher does not count any more. It may have begun again, with another number.
  mutating func freePlace(of publisher: OTPublisherKit, _ number: Int) {
    publishers.removeAll { $0.publisher === publisher && $0.number == number }
  }

  mutating func end(_ status: OTSessionConnectionStatus) {
    (self.status, connection, capabilities, streams) = (status, nil, nil, [:])
    (connections, publishers) = ([], [])
  }
}
