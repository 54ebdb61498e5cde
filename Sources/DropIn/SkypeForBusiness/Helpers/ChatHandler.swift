public import Foundation
import ParleyViews

/// Watches the chat of a conversation for an app.
///
/// Microsoft's samples had this class as source; here it is part of the module.
@preconcurrency @MainActor open class ChatHandler: NSObject {
  open private(set) var conversation: SfBConversation
  open private(set) weak var delegate: (any ChatHandlerDelegate)?
  /// The app's own object, as given to the initialiser.
  open private(set) var userInfo: Any?

  private var observations: [NSKeyValueObservation] = []

  /// Begins to watch. The delegate gets the present state before this returns.
  public init(conversation: SfBConversation, delegate: any ChatHandlerDelegate, userInfo: Any?) {
    self.conversation = conversation
    self.delegate = delegate
    self.userInfo = userInfo
    super.init()
    begin()
  }

  /// Without somebody to notify, where the app has nobody.
  @_disfavoredOverload public init(
    conversation: SfBConversation, delegate: (any ChatHandlerDelegate)?, userInfo: Any?
  ) {
    self.conversation = conversation
    self.delegate = delegate
    self.userInfo = userInfo
    super.init()
    begin()
  }

  private func begin() {
    observations = [
      conversation.observe(\.state, options: .initial) { [weak self] conversation, _ in
        guard let self else { return }
        self.delegate?.chatHandler(self, conversation: conversation, didChange: conversation.state)
        self.delegate?.chatHandler(self, conversation: conversation, didChangeState: conversation.state)
      },
      conversation.chatService.observe(\.canSendMessage, options: .initial) { [weak self] service, _ in
        guard let self else { return }
        self.delegate?.chatHandler(self, chatService: service, didChangeCanSendMessage: service.canSendMessage)
      },
      conversation.historyService.observe(\.activityItems, options: .new) { [weak self] _, change in
        guard let self, change.kind == .insertion else { return }
        for case let item as SfBMessageActivityItem in change.newValue ?? [] where item.direction == .incoming {
          self.delegate?.chatHandler(self, didReceiveMessage: item)
        }
      },
    ]
  }

  /// Sends a message to everybody. A failure is put into `error`; without one that is nil.
  open func sendMessage(_ message: String, error: UnsafeMutablePointer<NSError?>?) {
    do {
      error?.pointee = nil
      try conversation.chatService.sendMessage(message)
    } catch let problem {
      error?.pointee = problem as NSError
    }
  }
}

/// Is notified of a chat. Everything is optional; of two spellings implement one.
@preconcurrency @MainActor public protocol ChatHandlerDelegate: AnyObject {
  /// Somebody else's message came.
  func chatHandler(_ chatHandler: ChatHandler, didReceiveMessage message: SfBMessageActivityItem)
  /// Whether messages can be sent.
  func chatHandler(
    _ chatHandler: ChatHandler, chatService: SfBChatService, didChangeCanSendMessage canSendMessage: Bool)
  /// The conversation's state. The spelling of Swift 3 and later.
  func chatHandler(_ chatHandler: ChatHandler, conversation: SfBConversation, didChange state: SfBConversationState)
  /// The same, in the spelling of Swift 2.
  func chatHandler(
    _ chatHandler: ChatHandler, conversation: SfBConversation, didChangeState state: SfBConversationState)
}

extension ChatHandlerDelegate {
  public func chatHandler(_ chatHandler: ChatHandler, didReceiveMessage message: SfBMessageActivityItem) {}
  public func chatHandler(
    _ chatHandler: ChatHandler, chatService: SfBChatService, didChangeCanSendMessage canSendMessage: Bool
  ) {}
  public func chatHandler(
    _ chatHandler: ChatHandler, conversation: SfBConversation, didChange state: SfBConversationState
  ) {}
  public func chatHandler(
    _ chatHandler: ChatHandler, conversation: SfBConversation, didChangeState state: SfBConversationState
  ) {}
}
