public import Signaling

/// The lobby: waiting in it, and letting others in. Hosts have the permission to moderate; see `docs/protocol.md`.
extension Meeting {
  // MARK: For hosts

  /// Lets somebody in who waits; returns when the server has done it. It isn't an error if they have left by then. The
  /// server refuses it to others than hosts, as the next four: ``JoinError/refused(code:message:)`` with the code
  /// `notAllowed`.
  ///
  /// ```swift
  /// for await case .knocked(let somebody) in meeting.events where somebody.name == "Ann" {
  ///   try await meeting.admit(somebody)
  /// }
  /// ```
  public func admit(_ participant: WaitingParticipant) async throws(JoinError) {
    try await request { .admit(.some([participant.id]), id: $0) }
  }

  /// Lets everybody in who waits, as many as there is room for.
  ///
  /// ```swift
  /// if meeting.lobby.count > 3 { try await meeting.admitAll() }
  /// ```
  public func admitAll() async throws(JoinError) { try await request { .admit(.all, id: $0) } }

  /// Sends somebody away who waits. They can knock again.
  ///
  /// ```swift
  /// if let last = meeting.lobby.last { try await meeting.deny(last) }
  /// ```
  public func deny(_ participant: WaitingParticipant) async throws(JoinError) {
    try await request { .deny(.some([participant.id]), id: $0) }
  }

  /// Locks the meeting: nobody but hosts gets in, and nobody can knock. Participants who wait already can still be let
  /// in. ``isLocked`` has followed when it returns.
  ///
  /// ```swift
  /// if meeting.participants.count == 2 { try await meeting.lock() }
  /// ```
  public func lock() async throws(JoinError) { try await request { .lock(true, id: $0) } }

  /// Unlocks the meeting.
  ///
  /// ```swift
  /// if meeting.isLocked { try await meeting.unlock() }
  /// ```
  public func unlock() async throws(JoinError) { try await request { .lock(false, id: $0) } }

  /// Applies the server's word on the lobby, and reports changes.
  func takeLobby(_ new: LobbyInfo) {
    for event in lobbyState.apply(new, isHost: moderation.isHost) { emit(event) }
  }

  // MARK: For who waits

  /// The server lets this client wait. That time isn't part of ``JoinOptions/timeout``.
  func beginWaiting(for reason: WaitingReason) {
    guard state != .ended, waitingReason != reason else { return }
    joinDeadline?.cancel()
    reconnectTimeout?.cancel()
    reconnectTimeout = nil
    waitingReason = reason
    state = .waiting
    emit(.waiting(reason))
  }

  /// The waiting is over: what is left of joining has its time again.
  func endWaiting() {
    guard waitingReason != nil else { return }
    waitingReason = nil
    guard state == .waiting else { return }
    if joinedOnce {
      refreshState(.rejoin)
    } else {
      state = .connecting
      startJoinDeadline()
    }
  }

  // MARK: Announcements

  /// Reports that somebody came or went, where the meeting wants that announced.
  func announce(_ announcement: Announcement) {
    guard joinedOnce, info?.announces != false else { return }
    emit(.announced(announcement))
  }
}

/// Somebody's coming or going, in a meeting whose organiser wants it announced.
///
/// ```swift
/// for await case .announced(let announcement) in meeting.events {
///   switch announcement {
///   case .entered(let name): print("Welcome, \(name)!")
///   case .left: print(announcement.text)
///   }
/// }
/// ```
public enum Announcement: Hashable, Sendable {
  /// Somebody of this name came.
  case entered(name: String)
  /// Somebody of this name went.
  case left(name: String, LeaveReason)

  /// The announcement in words. Show it as text, never as markup.
  public var text: String {
    switch self {
    case .entered(let name): "\(name) joined"
    case .left(let name, .timeout): "\(name) lost the connection"
    case .left(let name, .removed): "\(name) was removed"
    case .left(let name, _): "\(name) left"
    }
  }
}

/// Somebody who waits to be let in: an id, and the name that they go by.
///
/// ```swift
/// func line(_ somebody: WaitingParticipant) -> String { "\(somebody.name) wants to join" }
/// ```
public typealias WaitingParticipant = Signaling.WaitingParticipant

/// Why a client is not in the meeting yet.
///
/// ```swift
/// func explanation(_ reason: WaitingReason) -> String {
///   switch reason {
///   case .lobby: "Somebody in the meeting will let you in."
///   case .host: "The meeting begins when a host comes."
///   case .start: "The meeting has not begun yet."
///   }
/// }
/// ```
public typealias WaitingReason = Signaling.WaitingReason
