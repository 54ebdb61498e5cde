import Signaling

/// Answers to numbered messages, which are passed on once only, even when their sender repeats them after a lost
/// connection.
extension RoomMachine {
  /// Whether a message is new. A repeated one gets its former answer, or will get it over the participant's present
  /// socket.
  func isNew(_ message: ClientMessage, id: Int?, _ member: RoomMember) -> Bool {
    guard let id else { return true }
    switch member.answered.take(id, message) {
    case .new: return true
    case .underWay: return false
    case .answered(let answer):
      send(answer, id: id, member)
      // A message that isn't kept any more must not be sent again.
      prune()
      if case .said(let number) = answer, let entry = chat.entry(number) { member.channel?.send(.chat(entry)) }
      return false
    }
  }

  /// Answers a message, and remembers the answer. A refusal goes out without a number, too.
  func answer(_ answer: AnsweredMessages.Answer, to id: Int?, _ member: RoomMember) {
    if let id { member.answered.note(answer, to: id) }
    send(answer, id: id, member)
  }

  private func send(_ answer: AnsweredMessages.Answer, id: Int?, _ member: RoomMember) {
    switch answer {
    case .done, .said: if let id { member.channel?.send(.room(.done(id: id))) }
    case .refused(let refusal): member.channel?.refuse(refusal, id: id)
    }
  }
}
