import Parley

/// Signals, and what a moderator does.
extension SessionEngine {
  func signal(_ type: String, _ data: String, to id: String?, waits: Bool, in session: OTSession) {
    guard let meeting, isConnected else { return }
    if let id, id == own?.connectionId {
      // The server passes on to others; what one says to oneself need not go there.
      let own = own
      return session.tell { session in
        session.delegate?.session(
          session, receivedSignalType: type.isEmpty ? nil : type, from: own, with: data.isEmpty ? nil : data)
      }
    }
    let recipient = id.flatMap { id in meeting.participants.first { $0.id == id } }
    if id != nil, recipient == nil {
      return session.report(OTError(.sessionUnableToSendSignal, "The receiver of the signal is not in the session."))
    }
    do throws(JoinError) { try meeting.signal(type: type, data: data, to: recipient, waits: waits) } catch {
      session.report(OTError(.sessionUnableToSendSignal, error.description))
    }
  }

  func muteAll(except: [String], in session: OTSession) {
    ask(.sessionUnableToForceMute, session) { meeting in
      let excluded = meeting.participants.filter { except.contains($0.id) }
      try await meeting.muteAll([.microphone, .screenAudio], except: excluded, includingLater: true)
    }
  }

  func allowUnmuting(in session: OTSession) {
    ask(.sessionUnableToForceMute, session) { try await $0.allowUnmuting() }
  }

  func mute(_ stream: OTStream, in session: OTSession) {
    guard let entry = streams[stream.streamId], let meeting else {
      return session.report(OTError(.sessionUnableToForceMute, "The stream has ended."))
    }
    if entry.participant == meeting.local.id {
      for work in published.values where work.kind == entry.kind {
        work.publisher.state.update { $0.publishAudio = false }
        applyMutes(of: work.publisher, in: session)
      }
      return
    }
    let source = entry.kind.audio
    ask(.sessionUnableToForceMute, session) { meeting in
      try await meeting.participants.first { $0.id == entry.participant }?.mute([source])
    }
  }

  func remove(_ id: String, in session: OTSession) {
    guard let participant = meeting?.participants.first(where: { $0.id == id }) else {
      return session.report(OTError(.sessionUnableToForceDisconnect, "The connection is not in the session."))
    }
    ask(.sessionUnableToForceDisconnect, session) { _ in try await participant.remove() }
  }

  private func ask(
    _ code: OTSessionErrorCode, _ session: OTSession, _ body: @escaping @MainActor (Meeting) async throws -> Void
  ) {
    guard let meeting else { return }
    Task {
      do { try await body(meeting) } catch { session.report(OTError(code, "\(error)")) }
    }
  }
}
