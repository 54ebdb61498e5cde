public import Basics

/// The server's side of ICE: a lite agent (RFC 8445 section 2.5), always controlled. It sends no checks; it answers the
/// peer's, learns from them which paths are proven, and takes the path that the peer nominates.
///
///     switch agent.receive(datagram, path: path, now: now) {
///     case .answered(let reply, let change): send(reply, over: path); if change.isSelected { … }
///     case .refused(let reply, _): send(reply, over: path)
///     case .ignored(let reason): count(reason)
///     }
///
/// Rules that hold whatever arrives: a datagram that is not authentic causes neither reply nor state; a path is
/// selected only by an authentic check that came over it; consent ends ``consentTimeout`` after the last
/// authentic check over a path; at most ``maximumPaths`` paths are remembered.
///
/// After ``receive(_:path:now:)``, ``handleTimeout(now:)`` and ``restart(remote:newLocal:now:)``, take all events with
/// ``pollEvent()``.
public struct IceLiteAgent {
  /// How long a path may be used after the last authentic check over it (RFC 7675 section 5.1).
  public static let consentTimeout = TimeSpan.seconds(30)
  /// How many paths are remembered; one more takes the place of the one not checked for longest.
  public static let maximumPaths = 32

  public enum Event: Hashable, Sendable {
    /// No authentic check for ``IceLiteAgent/consentTimeout``: send nothing any more. Only a restart revives the agent.
    case consentLost
    /// This path is no longer proven: take no packets from it and send none to it.
    case pathForgotten(IcePath)
    /// This local ufrag is no longer accepted: stop looking it up.
    case ufragRetired(String)
  }

  private struct Generation {
    let number: UInt32
    let verifier: IceCheckVerifier
  }

  private struct ProvenPath {
    let path: IcePath
    var generation: UInt32
    var checkedAt: Instant
  }

  /// The path the peer nominated last, nil until it has nominated one and after consent for it is lost.
  public private(set) var selectedPath: IcePath?
  /// Whether consent was lost since the last restart.
  public private(set) var isConsentLost = false
  /// When ``handleTimeout(now:)`` wants to be called; it may turn out to have nothing to do then.
  public private(set) var deadline: Instant

  private var current: Generation
  // Until the peer nominates a path under new credentials, those before a restart stay good (RFC 8445 section 9).
  private var previous: Generation?
  private var paths: [ProvenPath] = []
  // The last authentic check, or the start of the newest credentials.
  private var aliveAt: Instant
  private var events: [Event] = []

  /// An agent that waits for the first check.
  ///
  /// - Parameters:
  ///   - local: the credentials in our description.
  ///   - remote: the credentials in the peer's description.
  ///   - now: consent counts from here until the first check.
  public init(local: IceCredentials, remote: IceCredentials, now: Instant) {
    current = Generation(number: 0, verifier: IceCheckVerifier(local: local, remote: remote))
    aliveAt = now
    deadline = now + Self.consentTimeout
  }

  /// The credentials of our side that the newest description holds.
  public var local: IceCredentials { current.verifier.local }

  /// The path to send over: the selected one. Before any nomination it is the path that was checked most recently,
  /// because a peer may start DTLS on a proven path before it nominates it. nil when no path has consent.
  public var transmitPath: IcePath? {
    selectedPath ?? paths.max { $0.checkedAt < $1.checkedAt }?.path
  }

  /// Whether an authentic check over `path` arrived within the consent time.
  public func isProven(_ path: IcePath) -> Bool { paths.contains { $0.path == path } }

  /// Whether there is such a path from this address of the peer, to whichever address of ours.
  public func isProven(from remote: TransportAddress, handle: UInt32) -> Bool {
    paths.contains { $0.path.remote == remote && $0.path.handle == handle }
  }

  /// Handles one datagram (or frame) that looks like STUN.
  ///
  /// Cheap checks come first: header, USERNAME, FINGERPRINT, and only then the HMAC. Unauthentic checks get no error
  /// response at all, although RFC 8489 section 9.1.3 describes one: a spoofed source must not be able to make us send.
  public mutating func receive(_ datagram: Span<UInt8>, path: IcePath, now: Instant) -> IceLiteAction {
    if isConsentLost { return .ignored(.consentLost) }
    let message: STUNMessage
    do { message = try STUNMessage(parsing: datagram) } catch { return .ignored(.malformed(error)) }
    guard message.messageClass == .request, message.method == .binding else { return .ignored(.notForUs) }
    let generation: Generation
    if current.verifier.isAddressed(by: message) {
      generation = current
    } else if let previous, previous.verifier.isAddressed(by: message) {
      generation = previous
    } else {
      return .ignored(.wrongUsername)
    }
    if let objection = generation.verifier.objection(to: message) { return .ignored(objection) }
    guard message.unknownRequiredCount == 0 else {
      return .refused(reply: generation.verifier.unknownAttributes(message), .unknownAttributes)
    }
    // A lite agent never takes the controlling role (RFC 8445 section 6.1.1), so whatever the tie-breakers
    // are, it is the full peer that has to switch.
    if case .controlled = message.role {
      return .refused(reply: generation.verifier.roleConflict(message.transactionID), .roleConflict)
    }
    let reply = generation.verifier.success(message.transactionID, to: path.remote)
    return .answered(
      reply: reply,
      change: confirm(path, generation: generation.number, nominated: message.nominates, now: now))
  }

  /// Applies new credentials of both sides (RFC 8445 section 9). The selected path stays in use, and checks under the
  /// old credentials keep it alive, until the peer nominates a path under the new ones.
  public mutating func restart(remote: IceCredentials, newLocal: IceCredentials, now: Instant) {
    let replaced = current
    current = Generation(
      number: replaced.number &+ 1, verifier: IceCheckVerifier(local: newLocal, remote: remote))
    if isConsentLost || selectedPath == nil {
      // Nothing flows that would be worth keeping.
      retire(previous)
      retire(replaced)
      previous = nil
      let newest = current.number
      forget { $0.generation != newest }
    } else if previous == nil {
      previous = replaced
    } else {
      // Of two restarts in a row, the generation in between never carried anything.
      retire(replaced)
    }
    isConsentLost = false
    aliveAt = now
    deadline = min(deadline, now + Self.consentTimeout)
  }

  /// Forgets a path whose connection has closed. The connection's owner calls it; no event follows.
  public mutating func remove(_ path: IcePath) {
    paths.removeAll { $0.path == path }
    if selectedPath == path { selectedPath = nil }
  }

  /// Lets time pass: call it at ``deadline`` or later.
  public mutating func handleTimeout(now: Instant) {
    guard now >= deadline else { return }
    forget { now - $0.checkedAt >= Self.consentTimeout }
    if !isConsentLost && now - aliveAt >= Self.consentTimeout {
      isConsentLost = true
      events.append(.consentLost)
    }
    deadline = nextDeadline()
  }

  /// The next event, nil when there is none left.
  public mutating func pollEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  private mutating func confirm(
    _ path: IcePath, generation: UInt32, nominated: Bool, now: Instant
  ) -> IcePathChange {
    aliveAt = now
    var change = IcePathChange.none
    if let index = paths.firstIndex(where: { $0.path == path }) {
      paths[index].checkedAt = now
      paths[index].generation = max(paths[index].generation, generation)
    } else {
      makeRoom()
      paths.append(ProvenPath(path: path, generation: generation, checkedAt: now))
      change.isValidated = true
      deadline = min(deadline, now + Self.consentTimeout)
    }
    guard nominated else { return change }
    change.isSelected = selectedPath != path
    selectedPath = path
    if generation == current.number, let old = previous {
      previous = nil
      retire(old)
      forget { $0.generation != generation }
    }
    return change
  }

  private mutating func makeRoom() {
    guard paths.count >= Self.maximumPaths else { return }
    let candidates = paths.indices.filter { paths[$0].path != selectedPath }
    guard let oldest = candidates.min(by: { paths[$0].checkedAt < paths[$1].checkedAt }) else { return }
    events.append(.pathForgotten(paths[oldest].path))
    paths.remove(at: oldest)
  }

  private mutating func forget(where condition: (ProvenPath) -> Bool) {
    var index = 0
    while index < paths.count {
      if condition(paths[index]) {
        let path = paths.remove(at: index).path
        if selectedPath == path { selectedPath = nil }
        events.append(.pathForgotten(path))
      } else {
        index += 1
      }
    }
  }

  private mutating func retire(_ generation: Generation?) {
    guard let ufrag = generation?.verifier.local.ufrag, ufrag != local.ufrag else { return }
    events.append(.ufragRetired(ufrag))
  }

  private func nextDeadline() -> Instant {
    if isConsentLost { return .distantFuture }
    return paths.reduce(aliveAt) { min($0, $1.checkedAt) } + Self.consentTimeout
  }
}
