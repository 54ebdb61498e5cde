import Parley

/// Who is writing a message, told by signals of one type.
extension SfBConversation {
  private static var typing: String { "typing" }
  /// For how long somebody is taken to write who has said so once.
  private static var typingLasts: UInt64 { 6_000_000_000 }

  func tellTyping() { try? meeting.signal(type: Self.typing, data: "", waits: false) }

  func take(_ signal: SignalMessage) {
    guard signal.type == Self.typing, let participant = participant(signal.sender as? RemoteParticipant) else { return }
    participant.chat.typed()
    let moment = participant.chat.lastTyped
    Task { [weak participant] in
      try? await Task.sleep(nanoseconds: Self.typingLasts)
      guard let participant, participant.chat.lastTyped == moment else { return }
      participant.chat.isTyping = false
    }
  }
}
