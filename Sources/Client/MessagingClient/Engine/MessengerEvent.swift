package import Messaging

/// A messenger's report to its app.
package enum MessengerEvent: Sendable, Hashable {
  case status(SetupStatus)
  /// The passcode was of no use; the status is back at ``SetupState/syncRequired``.
  case syncFailed(SyncError)
  /// The setup stops here until something has changed.
  case setupFailed(MessagingFailure)
  /// Another endpoint removed this one: it is wiped and stopped.
  case deregistered
  /// Everything that was stored here is gone.
  case wiped
  /// Whether events that came while this endpoint was away are still on their way.
  case syncing(Bool)

  case chatAdded(Chat)
  case chatChanged(Chat)
  /// The app has left a chat. One that the service has removed stays, as ``Chat/State/defunct``.
  case chatRemoved(ChatID)
  case messageAdded(Message)
  /// The message with this cookie is another now; a queued one has got its number.
  case messageChanged(Message)
  /// A message without a number was removed from the queue.
  case messageDiscarded(ChatID, cookie: String)
  /// Another endpoint of this identity deleted it.
  case messageDeleted(ChatID, MessageNumber)
  case fileProgress(FileProgress)

  /// Someone types. There is no end of it: it decays after a few seconds.
  case typing(ChatID, from: RegID, tag: String?)
  case chatEvent(ChatID, from: RegID, tag: String, data: String?)
  case endpointsChanged
  case call(CallEvent)
  case warning(SecurityWarning)
  /// The local store refuses a change: nothing more is acknowledged, so that the service keeps it.
  case storeFailed
}

/// Something that an honest service does not do, or that only a person can judge.
package enum SecurityWarning: Sendable, Hashable {
  /// The service hands out other keys for an identity than before. They are not used until
  /// ``Messenger/acceptKeys(of:)``.
  case keysChanged(RegID)
  /// The service hands out other keys for this identity than this endpoint has.
  case ownKeysDiffer
  /// The vault's record is older than one that was seen here, or gone.
  case vaultRolledBack
  /// A message that was there before has come again under another number. It is not shown.
  case replayed(ChatID, MessageNumber)
  /// Messages of a sender are missing before this one.
  case missing(ChatID, from: RegID, count: UInt64)
  /// A message came behind one that its sender wrote later.
  case reordered(ChatID, MessageNumber)
  /// A sender's messages do not follow each other: the sender or the service has two versions of them.
  case forked(ChatID, MessageNumber)
  /// Others in the chat have messages of this sender which have not come here.
  case withheld(ChatID, from: RegID, count: UInt64)
  /// The message is not signed by the key that is pinned for its sender, or names another sender or chat.
  case wrongSignature(ChatID, MessageNumber)
  /// Another message than before has this number.
  case numberReused(ChatID, MessageNumber)
  /// A key for the chat was not made by the one who is said to have sent it. It is not used.
  case wrongKeyEnvelope(ChatID)
  /// A key for the chat is known to people who are not in it. It is not used.
  case unknownKeyHolders(ChatID, [RegID])
}
