import Crypto
import Messaging

/// A message as the local log has it: as the service stores it, and what was made of it.
struct MessageRecord: Codable, Hashable, Sendable {
  enum Reading: String, Codable {
    /// Its sender's keys are being fetched.
    case waiting
    /// Its chat key has not come.
    case sealed
    case verified, unverified
  }

  var stored: StoredMessage
  var reading: Reading
  var content: MessageContent?
  var isDeleted = false

  func message(in chat: ChatRecord, own: RegID) -> Message {
    let isIncoming = stored.sender != own
    let (state, isPartial) = chat.state(of: stored.number, isIncoming: isIncoming, own: own)
    return Message(
      chat: chat.info.chatId, cookie: stored.cookie, number: stored.number, sender: stored.sender,
      isIncoming: isIncoming, time: stored.time, state: state, stateIsPartial: isPartial,
      isUnverified: reading == .unverified, isSealed: reading == .sealed || reading == .waiting,
      isRecalled: stored.state == .recalled, content: content ?? MessageContent(tag: ""))
  }
}

/// A message that the service has not taken yet.
struct QueuedMessage: Codable, Hashable, Sendable {
  var chat: ChatID
  var cookie: String
  var content: MessageContent
  var time: MessageTime
  /// The sealed message, from its first attempt on: a repeated attempt sends the same bytes.
  var sealed: [UInt8]?
  var isFailed = false

  func message(own: RegID) -> Message {
    Message(
      chat: chat, cookie: cookie, number: nil, sender: own, isIncoming: false, time: time,
      state: isFailed ? .failed : .sending, stateIsPartial: false, isUnverified: false, isSealed: false,
      isRecalled: false, content: content)
  }
}
