import Messaging

/// The bounds of what one identity makes others be in.
extension MailboxLogic {
  /// Refuses invitations of those who are in as many chats as they may, or in as many of the caller's.
  func requireRoom(for invitees: [RegID]) throws {
    for invitee in invitees {
      guard try transaction.chatCount(of: invitee) < MessagingLimits.chats else {
        throw MessagingFailure(
          .limitReached, "The other side, \(invitee), is in \(MessagingLimits.chats) chats already (chats).")
      }
      guard try transaction.hasFewChats(of: invitee, madeBy: caller.regId) else {
        throw MessagingFailure(
          .limitReached,
          "You have made \(MessagingLimits.chatsOfOne) chats that \(invitee) is in (chatsOfOne). Use one of them.")
      }
    }
  }

  /// Refuses a new chat of a caller who is in as many as it may.
  func requireOwnRoom() throws {
    guard try transaction.chatCount(of: caller.regId) < MessagingLimits.chats else {
      throw MessagingFailure(
        .limitReached, "You are in \(MessagingLimits.chats) chats already (chats). Leave one of them.")
    }
  }
}
