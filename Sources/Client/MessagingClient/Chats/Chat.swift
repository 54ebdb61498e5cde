package import Messaging

/// A chat as this endpoint has it, opened.
package struct Chat: Sendable, Hashable {
  package enum State: String, Sendable {
    /// Its key has not come yet.
    case waiting
    /// Its messages are being fetched.
    case restoring
    case ready
    /// This identity is no longer in it. Messages that are here stay readable.
    case defunct
  }

  package var id: ChatID
  package var isOneToOne: Bool
  package var invitePolicy: ChatInfo.InvitePolicy
  package var state: State
  package var subject: String?
  /// Data of the app for everybody in the chat: a JSON object as text.
  package var data: String?
  /// Everybody in it, this identity included.
  package var participants: [ChatParticipant]
  /// The number of the newest message; 0 for none.
  package var lastMessage: MessageNumber
  /// The first message that this identity may read.
  package var firstMessage: MessageNumber
  package var unread: Int
}

/// A chat to be made.
package struct ChatDraft: Sendable, Hashable {
  package var invitees: [RegID]
  package var isOneToOne: Bool
  package var invitePolicy: ChatInfo.InvitePolicy
  package var subject: String?
  /// A JSON object as text.
  package var data: String?
  /// Makes repeated requests one chat.
  package var cookie: String

  package init(
    invitees: [RegID], isOneToOne: Bool, subject: String? = nil, data: String? = nil,
    invitePolicy: ChatInfo.InvitePolicy = .participantsOnly, cookie: String
  ) {
    self.invitees = invitees
    self.isOneToOne = isOneToOne
    self.subject = subject
    self.data = data
    self.invitePolicy = invitePolicy
    self.cookie = cookie
  }
}

/// How far one participant is with a message.
package enum RecipientState: String, Sendable {
  case sent, delivered, read
}
