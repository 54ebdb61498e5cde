public import Signaling

extension Meeting {
  /// The longest chat message, in characters.
  public static let maximumChatLength = 4_000

  /// The longest chat message, in bytes of UTF-8: characters may be made of many.
  public static let maximumChatBytes = 16_000

  /// The longest display name, in characters. Servers cut longer names, and send the rest as the name.
  public static let maximumNameLength = SignalingLimits.nameCharacters

  /// Whether this client wrote a message, also before a rejoin that gave it another id.
  ///
  /// ```swift
  /// for message in meeting.chat { print("\(meeting.isOwn(message) ? "You" : message.name): \(message.text)") }
  /// ```
  public func isOwn(_ message: ChatMessage) -> Bool { ownIDs.contains(message.from) }

  /// Sends a chat message. While the meeting is being joined, or the signalling is down, it waits, and is sent then.
  /// 100 go out at once and 40 a second, signals included; the others wait in their order.
  ///
  /// ```swift
  /// try meeting.send(chat: "Hello, everybody!")
  /// try meeting.send(chat: "And you in particular.", to: participant)
  /// ```
  ///
  /// - Parameters:
  ///   - text: 1 to ``maximumChatLength`` characters, and at most ``maximumChatBytes``.
  ///   - recipient: The one who is to get it; nil for everybody.
  /// - Returns: The message as ``MeetingEvent/chatFailed(_:_:)`` names it, should the server refuse it.
  /// - Throws: ``JoinError/refused(code:message:)`` for an empty or too long text, and with the code `tooFast` when
  ///   1,000 are on their way already; ``JoinError/ended``.
  @discardableResult
  public func send(chat text: String, to recipient: RemoteParticipant? = nil) throws(JoinError) -> SentChatMessage {
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
    guard !isEncrypted || MessageSealing.fits(chat: text) else {
      throw .refused(
        code: "tooLarge",
        message:
          "An encrypted chat message has at most \(Self.maximumChatBytes) bytes, and quotation marks and line breaks count twice."
      )
    }
    guard queue.chat.count < Self.maximumUnanswered else { throw Self.tooMany("chat messages") }
    let message = SentChatMessage(id: nextID(), text: text, recipient: recipient?.id)
    queue.add(message)
    sendInTurn()
    return message
  }

  /// A number for an offer or a chat message: a refusal carries it, so both are numbered in one row.
  func nextID() -> Int { negotiation.nextID() }
}

/// A chat message that this client has sent. It is delivered once it comes back as ``MeetingEvent/chat(_:isHistory:)``.
///
/// ```swift
/// let sent = try meeting.send(chat: "Hello!")
/// for await case .chatFailed(sent, let error) in meeting.events { print("Not delivered: \(error)") }
/// ```
public struct SentChatMessage: Hashable, Sendable, Identifiable {
  /// This client's number for it; unlike the id of a ``ChatMessage``, which the server gives.
  public let id: Int

  public let text: String

  /// The id of the participant who is to get it; nil for everybody.
  public let recipient: String?

  var onTheWire: ClientMessage { .chat(text: text, to: recipient, id: id) }
}
