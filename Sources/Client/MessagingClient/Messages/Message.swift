package import Messaging

/// A message as this endpoint has it, decrypted.
package struct Message: Sendable, Hashable {
  package enum State: String, Sendable, Codable {
    /// Queued here; it survives a restart.
    case sending
    /// On the service's disk.
    case sent
    /// An endpoint of at least one recipient has it.
    case delivered
    /// At least one recipient has read it; an incoming one was read here or at another own endpoint.
    case read
    case failed
  }

  package var chat: ChatID
  /// The sender's mark: names the message before it has a number, and after.
  package var cookie: String
  /// Nil until the service has taken it.
  package var number: MessageNumber?
  package var sender: RegID
  package var isIncoming: Bool
  package var time: MessageTime
  package var state: State
  /// Whether ``state`` does not hold for all recipients yet.
  package var stateIsPartial: Bool
  /// Whether it is not signed by the sender's pinned key, or does not open. It is shown all the same.
  package var isUnverified: Bool
  /// Whether its key has not come yet. It is read again when it does.
  package var isSealed: Bool
  package var isRecalled: Bool
  package var content: MessageContent
}

/// The sender's part of a message, which the service can't read.
package struct MessageContent: Sendable, Hashable, Codable {
  /// The most bytes of content, data and thumbnail together.
  package static let maximumBytes = 71_680
  /// The most code points of ``text``.
  package static let maximumTextScalars = 2_000

  /// The app's kind of message.
  package var tag: String
  package var text: String?
  /// A JSON object as text.
  package var data: String?
  /// Messages that this one refers to.
  package var references: [Reference]
  /// A thumbnail, in base64url.
  package var thumbnail: String?
  package var file: AttachedFile?

  package struct Reference: Sendable, Hashable, Codable {
    package var tag: String
    package var number: MessageNumber

    package init(tag: String, number: MessageNumber) {
      self.tag = tag
      self.number = number
    }
  }

  package init(
    tag: String, text: String? = nil, data: String? = nil, references: [Reference] = [], thumbnail: String? = nil,
    file: AttachedFile? = nil
  ) {
    self.tag = tag
    self.text = text
    self.data = data
    self.references = references
    self.thumbnail = thumbnail
    self.file = file
  }
}

/// A file that belongs to a message: the service has it encrypted, and its key is in the message.
package struct AttachedFile: Sendable, Hashable, Codable {
  package var name: String
  package var contentType: String
  /// Bytes of the file itself.
  package var size: Int
  package var attachment: AttachmentID
  /// The key, in base64url.
  var key: String
}

/// How far a file is on its way.
package struct FileProgress: Sendable, Hashable {
  package enum State: String, Sendable { case active, done, failed, cancelled }

  package var chat: ChatID
  package var cookie: String
  package var isUpload: Bool
  package var bytes: Int
  package var total: Int
  package var state: State
  /// The path of a downloaded file, once ``state`` is done.
  package var path: String?
}
