import Signaling

extension Meeting {
  /// The longest chat message, in characters.
  ///
  /// ```swift
  /// try meeting.send(chat: String(text.prefix(Meeting.maximumChatLength)))
  /// ```
  public static let maximumChatLength = 4_000

  /// The longest chat message, in bytes of UTF-8: characters may be made of many.
  ///
  /// ```swift
  /// let fits = text.utf8.count <= Meeting.maximumChatBytes
  /// ```
  public static let maximumChatBytes = 16_000

  /// Sends a chat message. While the signalling is down it waits, and is sent when the place has been taken back.
  ///
  /// ```swift
  /// try meeting.send(chat: "Hello, everybody!")
  /// try meeting.send(chat: "And you in particular.", to: participant)
  /// ```
  ///
  /// - Parameters:
  ///   - text: 1 to ``maximumChatLength`` characters, and at most ``maximumChatBytes``.
  ///   - recipient: The one who is to get it; nil for everybody.
  /// - Throws: ``JoinError/refused(code:message:)`` for an empty or too long text, ``JoinError/ended``.
  public func send(chat text: String, to recipient: RemoteParticipant? = nil) throws(JoinError) {
    guard state != .ended else { throw .ended }
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw .refused(code: "badMessage", message: "A chat message needs some text.")
    }
    guard text.count <= Self.maximumChatLength else {
      throw .refused(code: "tooLarge", message: "A chat message has at most \(Self.maximumChatLength) characters.")
    }
    guard text.utf8.count <= Self.maximumChatBytes else {
      throw .refused(
        code: "tooLarge",
        message: "A chat message has at most \(Self.maximumChatBytes) bytes of UTF-8, this one has \(text.utf8.count).")
    }
    unsentChat.append((text, recipient?.id))
    if unsentChat.count > Self.maximumUnsentChat {
      unsentChat.removeFirst()
      emit(.problem("More than \(Self.maximumUnsentChat) chat messages wait to be sent; the oldest was given up."))
    }
    send(.chat(text: text, to: recipient?.id))
  }
}
