import Foundation
import Parley

/// Text messages of a conversation.
@preconcurrency @MainActor open class SfBChatService: SfBConversationService {
  /// Whether ``sendMessage(_:)`` can be called.
  open var canSendMessage: Bool { conversation?.isEstablished == true && isRunning && isAllowed }

  override class var keys: [ObservableKey] {
    super.keys + [.value("canSendMessage", \SfBChatService.canSendMessage)]
  }

  override var isAllowed: Bool { conversation?.may(.chat) == true }

  /// Messages that were sent and neither came back nor were refused, oldest first.
  private var unconfirmed: [(sent: SentChatMessage, item: SfBMessageActivityItem)] = []
  private var toldTyping: Instant?

  override init(internal: Void) { super.init(internal: ()) }

  /// Sends a message to everybody. It is in the history at once; its ``SfBMessageActivityItem/status`` shows the
  /// delivery.
  /// - Throws: `actionNotAvailable` while ``canSendMessage`` is false or 1,000 messages are on their way,
  ///   `invalidArgument` for a text that is empty or too long.
  @discardableResult open func sendMessage(_ message: String) throws -> SfBMessageActivityItem {
    try require(canSendMessage, "sendMessage(_:)", "canSendMessage")
    guard let conversation else { throw SfBError.actionNotAvailable.because("The conversation is over.") }
    let item = SfBMessageActivityItem(message, .outgoing, .pending, sender: conversation.selfParticipant.person)
    let sent: SentChatMessage
    do throws(JoinError) {
      sent = try conversation.meeting.send(chat: message)
    } catch {
      let isTooFast = error.code == "tooFast"
      throw (isTooFast ? SfBError.actionNotAvailable : .invalidArgument).because(error.description)
    }
    unconfirmed.append((sent, item))
    conversation.historyService.add(item)
    toldTyping = nil
    return item
  }

  /// Notifies the others that a message is being written, every two seconds at most. Call it as often as the text
  /// changes.
  /// - Throws: `actionNotAvailable` while ``canSendMessage`` is false.
  open func sendIsTyping() throws {
    try require(canSendMessage, "sendIsTyping()", "canSendMessage")
    let now = MonotonicClock.now
    if let toldTyping, now < toldTyping + .seconds(2) { return }
    toldTyping = now
    conversation?.meeting.setTyping(true)
  }

  func take(_ message: ChatMessage, isHistory: Bool) {
    guard isRunning || isHistory, message.deleted == nil, let conversation else { return }
    if conversation.isOwn(message) {
      if let index = unconfirmed.firstIndex(where: { $0.sent.text == message.text }) {
        unconfirmed.remove(at: index).item.status = .succeeded
      } else {
        // From before this guest joined again.
        let item = SfBMessageActivityItem(
          message.text, .outgoing, .succeeded, sender: conversation.selfParticipant.person, timestamp: message.time)
        conversation.historyService.add(item)
      }
      return
    }
    let sender = conversation.remoteParticipants.first { $0.remote?.id == message.from }
    sender?.chat.isTyping = false
    let item = SfBMessageActivityItem(
      message.text, .incoming, .succeeded,
      sender: sender?.person
        ?? SfBPerson(name: message.name, sipUri: SfBPerson.address(message.from, at: conversation.host)),
      timestamp: isHistory ? message.time : Date())
    conversation.historyService.add(item)
  }

  func fail(_ message: SentChatMessage, _ error: JoinError) {
    guard let index = unconfirmed.firstIndex(where: { $0.sent.id == message.id }) else { return }
    unconfirmed.remove(at: index).item.status = .failed
    // The end has a report of its own.
    if case .ended = error { return }
    conversation?.alert(.messaging, .error, ErrorCode(.actionNotAvailable), "A message was not delivered: \(error)")
  }

  override func end() {
    for (_, item) in unconfirmed { item.status = .failed }
    unconfirmed = []
    super.end()
  }
}
