import Meetings
import Signaling

/// The budget for messages that are passed on.
extension RoomMachine {
  /// Whether a message of `size` bytes may be passed on now, as far as others get it. A refusal is sent to the client,
  /// which may send the message again later under the same number.
  func isInBudget(
    _ message: ClientMessage, _ size: Int, id: Int?, _ member: RoomMember, _ channel: RoomChannel
  ) -> Bool {
    guard let passing = message.passing else { return true }
    let updated: RoomMember? =
      switch passing.update {
      case .nobody: nil
      case .sender: member
      case .participant(let id): roster[id]
      }
    let reached = budget.spend(
      max(0, size + passing.more + (updated?.announcedBytes ?? 0)), of: &member.budget,
      isHost: member.permissions.contains(.moderate), passing.urgency, now: now.instant)
    guard let reached else { return true }
    count(.limit(reached.limit))
    if let id { member.answered.forget(id) }
    // Typing is repeated again and again, and nobody waits for an answer.
    if case .room(.chat(.typing), _) = message { return false }
    channel.refuse(.tooFast, reached.text, id: id)
    return false
  }

  /// Whether a renewed token may change its holder's rights, of which the others hear. A refusal is sent to the client.
  func isRenewalInBudget(id: Int?, _ member: RoomMember, _ channel: RoomChannel) -> Bool {
    let reached = budget.spend(
      member.announcedBytes, of: &member.budget, isHost: member.permissions.contains(.moderate), .owed,
      now: now.instant)
    guard let reached else { return true }
    count(.limit(reached.limit))
    channel.refuse(.tooFast, reached.text, id: id)
    return false
  }

  /// Charges the message of a file that is complete. It is passed on in any case.
  func spend(_ file: ChatFile, _ member: RoomMember) {
    _ = budget.spend(file.name.utf8.count, of: &member.budget, isHost: false, .owed, now: now.instant)
  }

  /// The same for a data message.
  func isDataInBudget(_ size: Int, _ member: RoomMember) -> Bool {
    guard let (reached, isNews) = budget.spendData(size, of: &member.budget, now: now.instant) else { return true }
    count(.limit(reached.limit))
    if isNews { member.channel?.refuse(.dataTooFast, reached.text) }
    return false
  }
}
