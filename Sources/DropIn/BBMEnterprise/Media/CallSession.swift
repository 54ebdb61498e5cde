import Messaging
import MessagingClient
import Parley

/// The meeting that carries a call: it is joined end-to-end encrypted, with the secret of the sealed offer, and left
/// when the call is over.
@MainActor final class CallSession {
  /// The call's handlers. All are called on the main actor, and none after ``leave()``.
  struct Handlers {
    /// This endpoint and the other side are in the meeting, with keys of the call's secret. Once.
    var connected: () -> Void
    /// Media does not flow, or not any more. Once, and nothing follows.
    var failed: (BBMMediaError) -> Void
    var subscribed: (Subscription) -> Void = { _ in }
    var unsubscribed: (RemotePublication) -> Void = { _ in }
    /// Somebody's keys may be known now.
    var keysChanged: () -> Void = {}
    var qualityChanged: (BBMCallQuality) -> Void = { _ in }
    var received: ([UInt8]) -> Void = { _ in }
    /// Messages that were sent since the connection was lost may be lost, too.
    var reconnected: () -> Void = {}
  }

  /// How long it takes at most until media flows between both sides.
  static let setupLimit = TimeSpan.seconds(30)
  /// How long a lost connection may take to come back.
  static let reconnectLimit = TimeSpan.seconds(30)
  /// The topic of a data connection's messages.
  static let topic = "bbm"

  let meeting: Meeting
  private var handlers: Handlers?
  private var isConnected = false
  private var reader: Task<Void, Never>?
  private var deadline: Task<Void, Never>?
  /// How long the call goes on alone after the other side has left the meeting.
  var absenceLimit = TimeSpan.seconds(10)
  private var absence: Task<Void, Never>?

  init(_ access: CallMeeting, name: String, server: ServerAddress) {
    var options = JoinOptions(name: name)
    options.linkSecret = access.secret
    options.trustsAnyCertificate = server.trustsAnyCertificate
    options.timeout = Self.setupLimit
    options.reconnectTimeout = Self.reconnectLimit
    options.initialSlots = 2
    meeting = Meeting(token: Secret(access.token), server: server.url, options: options)
  }

  /// Joins, and reports to the handlers from now on.
  func start(_ handlers: Handlers) {
    self.handlers = handlers
    let events = meeting.events
    reader = Task { [weak self] in
      for await event in events {
        guard let self else { return }
        receive(event)
      }
    }
    deadline = fail(kMediaFailureMediaSetup, after: Self.setupLimit)
    // A failure is an event, too.
    Task { [meeting] in try? await meeting.join() }
  }

  /// Leaves. The task returned ends when the server knows it.
  @discardableResult func leave() -> Task<Void, Never> {
    handlers = nil
    reader?.cancel()
    deadline?.cancel()
    absence?.cancel()
    return Task { [meeting] in await meeting.leave() }
  }

  /// Returns once the meetings that were left know it: a second at most.
  static func allLeft() async { await PendingLeaves.finished() }

  private func fail(_ error: BBMMediaError) {
    guard let handlers else { return }
    leave()
    handlers.failed(error)
  }

  /// Why there is no media, or none any more.
  private var lossError: BBMMediaError { isConnected ? kMediaFailureDisconnected : kMediaFailureMediaSetup }

  private func fail(_ error: BBMMediaError, after limit: TimeSpan) -> Task<Void, Never> {
    Task { [weak self] in
      guard (try? await Task.sleep(nanoseconds: UInt64(limit.nanoseconds))) != nil else { return }
      self?.fail(error)
    }
  }

  func receive(_ event: MeetingEvent) {
    switch event {
    // Keys may be known later than the participant.
    case .joined, .participantUpdated, .encryptionChanged:
      connectIfComplete()
      handlers?.keysChanged()
    case .participantJoined:
      absence?.cancel()
      connectIfComplete()
      handlers?.keysChanged()
    case .participantLeft(_, let reason):
      switch reason {
      // The signalling says that the call is over, but the other side may have lost it.
      case .left: if meeting.participants.isEmpty { absence = fail(lossError, after: absenceLimit) }
      case .replaced: break
      // After a broken connection the other side may be there again, next to the place that it had before.
      case .timeout, .removed: if meeting.participants.isEmpty { fail(kMediaFailureDisconnected) }
      }
    case .subscribed(let subscription): handlers?.subscribed(subscription)
    case .unsubscribed(let publication): handlers?.unsubscribed(publication)
    case .qualityChanged: handlers?.qualityChanged(quality)
    case .data(let message) where message.topic == Self.topic: handlers?.received(message.bytes)
    case .reconnected: handlers?.reconnected()
    case .ended: fail(lossError)
    case .waiting, .announced, .knocked, .knockEnded, .lockChanged, .published, .unpublished,
      .muteChanged, .firstFrame, .speakersChanged, .chat, .chatFailed, .chatting, .data, .signal, .paused, .resumed,
      .undecodable, .decodable, .undecodableFor, .reconnecting, .sourceEnded, .tokenExpiring, .room,
      .problem:
      break
    }
  }

  /// The server's word that somebody is there doesn't count: the other side has signed keys under the call's secret.
  private func connectIfComplete() {
    guard !isConnected, meeting.state == .connected, meeting.participants.contains(where: { $0.identity != nil }) else {
      return
    }
    isConnected = true
    deadline?.cancel()
    handlers?.qualityChanged(quality)
    handlers?.connected()
  }

  /// That of the worse side.
  private var quality: BBMCallQuality {
    let all = [meeting.local.quality] + meeting.participants.map(\.quality)
    return all.map { (quality: ConnectionQuality) -> BBMCallQuality in
      switch quality {
      case .excellent: kCallQualityExcellent
      case .good: kCallQualityGood
      case .poor: kCallQualityPoor
      case .lost: kCallQualityLost
      }
    }.min { $0.rawValue < $1.rawValue } ?? kCallQualityUnknown
  }
}
