public import Foundation

/// A line of a conversation's history.
@preconcurrency @MainActor open class SfBConversationActivityItem: SfBObject, SfBKeyValueObservable {
  /// The kind of the item.
  open private(set) var type: SfBActivityType
  /// When it happened, by this machine's clock; by the server's for messages from before joining.
  @SfBObserved open private(set) var timestamp: Date

  override class var keys: [ObservableKey] {
    [
      .value("type", \SfBConversationActivityItem.type),
      .value("timestamp", \SfBConversationActivityItem.timestamp),
    ]
  }

  init(_ type: SfBActivityType, timestamp: Date = Date()) {
    self.type = type
    self.timestamp = timestamp
    super.init(internal: ())
  }
}

/// A message in a conversation's history.
@preconcurrency @MainActor open class SfBMessageActivityItem: SfBConversationActivityItem {
  /// The delivery state. That of an incoming message is `succeeded`.
  @SfBObserved open internal(set) var status: SfBMessageStatus
  /// Whether this guest or somebody else wrote it.
  open private(set) var direction: SfBMessageDirection
  /// The author; nil while it isn't known.
  @SfBObserved open private(set) var sender: SfBPerson?
  /// The message as plain text.
  open private(set) var text: String
  /// How it is written.
  open private(set) var format = SfBMessageFormat.text

  override class var keys: [ObservableKey] {
    super.keys + [
      .value("status", \SfBMessageActivityItem.status), .value("sender", \SfBMessageActivityItem.sender),
      .value("direction", \SfBMessageActivityItem.direction), .value("text", \SfBMessageActivityItem.text),
      .value("format", \SfBMessageActivityItem.format),
    ]
  }

  init(
    _ text: String, _ direction: SfBMessageDirection, _ status: SfBMessageStatus, sender: SfBPerson?,
    timestamp: Date = Date()
  ) {
    self.text = text
    self.direction = direction
    self.status = status
    super.init(.message, timestamp: timestamp)
    self.sender = sender
  }
}

/// Somebody who came or went.
@preconcurrency @MainActor open class SfBParticipantActivityItem: SfBConversationActivityItem {
  /// The participant who came or left.
  @SfBObserved open private(set) var person: SfBPerson

  override class var keys: [ObservableKey] { super.keys + [.value("person", \SfBParticipantActivityItem.person)] }

  init(_ type: SfBActivityType, _ person: SfBPerson) {
    self.person = person
    super.init(type)
  }
}
