import Parley

/// Signals, and a moderator's actions.
///
/// Known faults are checked before anything comes here, and reported in the `error:` of the call. A refusal by the
/// server, or a change in between, ends nothing: it is dropped, since `session(_:didFailWithError:)` is for the end of
/// a session.
extension SessionEngine {
  /// Makes room for a signal that is about to be sent; false when there is none.
  nonisolated func takeSignalPlace() -> Bool {
    signalsUnderWay.update { count in
      guard count < Meeting.maximumUnanswered else { return false }
      count += 1
      return true
    }
  }

  /// Sends a signal that has a place, and gives that back when it is known what became of it.
  func signal(_ type: String, _ data: String, to id: String?, waits: Bool, in session: OTSession) {
    let place = signalsUnderWay
    let isOnItsWay = pass(type, data, to: id, waits: waits, session) { place.update { $0 -= 1 } }
    if !isOnItsWay { place.update { $0 -= 1 } }
  }

  private func pass(
    _ type: String, _ data: String, to id: String?, waits: Bool, _ session: OTSession,
    settled: @escaping @MainActor () -> Void
  ) -> Bool {
    guard let meeting, isConnected else { return false }
    if let id, id == own?.connectionId {
      // The server passes on to others; what one says to oneself need not go there.
      let own = own
      session.tell { session in
        session.delegate?.session(
          session, receivedSignalType: type.isEmpty ? nil : type, from: own, with: data.isEmpty ? nil : data)
      }
      return false
    }
    let recipient = id.flatMap { id in meeting.participants.first { $0.id == id } }
    // A recipient who has left gets nothing; a signal to one is never one to all.
    guard id == nil || recipient != nil else { return false }
    do throws(JoinError) {
      try meeting.signal(type: type, data: data, to: recipient, waits: waits) { _ in settled() }
      return true
    } catch { return false }
  }

  /// Every stream but these, also the app's own ones.
  func muteAll(except excluded: [String], in session: OTSession) {
    let entries = excluded.compactMap { streams[$0] }
    ask { meeting in
      let everybody: [any Participant] = [meeting.local] + meeting.participants
      let tracks = everybody.flatMap { participant in
        entries.filter { $0.participant == participant.id }.map { (participant: participant, source: $0.kind.audio) }
      }
      try await meeting.muteAll(
        [.microphone, .screenAudio], exceptTracks: tracks, includingLater: true, includingSelf: true)
    }
  }

  func allowUnmuting(in session: OTSession) {
    ask { try await $0.allowUnmuting() }
  }

  func mute(_ stream: OTStream, in session: OTSession) {
    guard let entry = streams[stream.streamId], let meeting else { return }
    if entry.participant == meeting.local.id {
      return muteOwn(entry.kind, session)
    }
    let source = entry.kind.audio
    ask { meeting in try await meeting.participants.first { $0.id == entry.participant }?.mute([source]) }
  }

  func remove(_ id: String, in session: OTSession) {
    ask { meeting in try await meeting.participants.first { $0.id == id }?.remove() }
  }

  private func ask(_ body: @escaping @MainActor (Meeting) async throws -> Void) {
    guard let meeting else { return }
    Task { try? await body(meeting) }
  }
}
