package import Messaging

/// Why a call of a messenger failed.
package enum MessengerError: Error, Sendable, Hashable {
  case refused(MessagingFailure)
  /// The setup is not complete.
  case notReady
  /// The connection was lost before the answer. The request may have been carried out.
  case disconnected
  /// There is no such chat or message here.
  case notFound
  /// Content, data or file is larger than it may be.
  case tooLarge
  /// The text is not a JSON object.
  case badData
  /// An identity has no keys, or ones that are not accepted yet.
  case keysMissing([RegID])
  /// A one-to-one chat of these two exists.
  case alreadyExists(ChatID)
  /// The passcode is too weak, or the vault does not take it.
  case passcode(SyncError)
  /// A file cannot be read or written.
  case fileFailed
  /// The domain works in another way: with, or without, key management.
  case notForThisDomain
  /// The app ended it.
  case cancelled
  /// OpenSSL refused; out of memory in practice.
  case failed

  /// Whether the same call may succeed later, without a change of its arguments.
  package var isTemporary: Bool {
    switch self {
    case .notReady, .disconnected: true
    case .refused(let failure): MessengerMachine.isTemporary(failure.code)
    case .notFound, .tooLarge, .badData, .keysMissing, .alreadyExists, .passcode, .fileFailed, .notForThisDomain,
      .cancelled, .failed:
      false
    }
  }
}
