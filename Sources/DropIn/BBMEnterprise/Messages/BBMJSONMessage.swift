// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// A message to or from the service: a name, and fields by theirs.
///
/// Messages that have a class of their own are made by it. For others there is this one:
///
/// ```swift
/// let message = BBMJSONMessage(name: "chatHide", fields: ["chatIds": [chat.chatId]])
/// BBMEnterpriseService.shared().sendMessage(toService: message)
/// ```
@preconcurrency @MainActor open class BBMJSONMessage {
  /// The name, such as `chatStart`.
  public let messageName: String
  /// The fields that have been set, by their names in the message.
  var fields: [String: Any]

  /// A message with some fields.
  public init(name: String, fields: [String: Any]) {
    messageName = name
    self.fields = fields
  }

  init(name: String) {
    messageName = name
    fields = [:]
  }

  /// A message of an app's own, which overrides ``requestDict()``.
  public init() {
    messageName = ""
    fields = [:]
  }

  /// The message as it goes to the service: the fields under the message's name. A subclass may override it.
  open func requestDict() -> [AnyHashable: Any]! { [messageName: fields] }

  /// ``requestDict()`` as JSON; nil when it cannot be written as such.
  open func requestData() -> String! {
    guard let message = request, JSONSerialization.isValidJSONObject(message),
      let data = try? JSONSerialization.data(withJSONObject: message, options: .sortedKeys)
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// ``requestDict()`` with its texts as keys; nil for none.
  final var request: [String: Any]? {
    guard let message = requestDict() as [AnyHashable: Any]? else { return nil }
    return Dictionary(message.compactMap { key, value in (key.base as? String).map { ($0, value) } }) { $1 }
  }

  // MARK: fields by their types

  subscript(text name: String) -> String! {
    get { fields[name] as? String }
    set { fields[name] = newValue }
  }
  subscript(flag name: String) -> Bool {
    get { FieldValue.bool(fields[name]) ?? false }
    set { fields[name] = newValue }
  }
  subscript(number name: String) -> NSNumber! {
    get { FieldValue.number(fields[name]) }
    set { fields[name] = newValue }
  }
  /// Ids of 64 bits go as texts.
  subscript(id name: String) -> UInt64 {
    get { FieldValue.integer(fields[name]) ?? 0 }
    set { fields[name] = "\(newValue)" }
  }
  subscript(dictionary name: String) -> [AnyHashable: Any]! {
    get { FieldValue.dictionary(fields[name]) }
    set {
      fields[name] = (newValue as [AnyHashable: Any]?).map { values in
        Dictionary(values.compactMap { key, value in (key.base as? String).map { ($0, value) } }) { first, _ in first }
      }
    }
  }
  subscript<State: NamedState>(state name: String) -> State {
    get { State(fields[name]) }
    set { fields[name] = newValue.name }
  }
  subscript(texts name: String) -> [String]! {
    get { fields[name] as? [String] }
    set { fields[name] = newValue }
  }
  /// Elements that are objects of the SDK go as their fields, numbers as texts.
  subscript(list name: String) -> [Any]! {
    get { fields[name] as? [Any] }
    set {
      fields[name] = (newValue as [Any]?)?.map { element in
        switch element {
        case let element as BBMMessagePart: element.fields
        case let element as NSNumber: element.stringValue
        case let element as [AnyHashable: Any]:
          Dictionary(uniqueKeysWithValues: element.map { ("\($0.base)", $1) })
        default: element
        }
      }
    }
  }

  /// The message of a name: of its own class where there is one.
  static func message(_ name: String, _ body: [String: Any]) -> BBMJSONMessage {
    incoming[name]?(name, body) ?? BBMJSONMessage(name: name, fields: body)
  }
}

/// A part of a message that is an object.
@preconcurrency @MainActor public class BBMMessagePart {
  var fields: [String: Any]

  init(_ fields: [String: Any]) { self.fields = fields }
}

/// An identity that is invited to a new chat.
@preconcurrency @MainActor public final class BBMChatStartMessage_Invitees: BBMMessagePart {
  public var regId: NSNumber! {
    get { FieldValue.number(fields["regId"]) }
    set { fields["regId"] = newValue?.stringValue }
  }

  public init() { super.init([:]) }
}

/// An identity that is invited to a chat.
@preconcurrency @MainActor public final class BBMChatInviteMessage_Invitees: BBMMessagePart {
  public var regId: NSNumber! {
    get { FieldValue.number(fields["regId"]) }
    set { fields["regId"] = newValue?.stringValue }
  }

  public init() { super.init([:]) }
}

/// The message that a new one refers to.
@preconcurrency @MainActor public final class BBMChatMessageSendMessage_Ref: BBMMessagePart {
  /// A reference to a message of the same chat; the tag says what kind it is.
  public init!(messageId: UInt64, tag: String!) {
    super.init(["messageId": "\(messageId)"])
    fields["tag"] = tag
  }
}

/// Why a chat was not started.
public struct BBMChatStartFailedMessageReason: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A reason by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["AlreadyExists", "InvalidInvitees", "TemporaryFailure"]
}

/// The chat was started, or the service has given no reason.
public let kBBMChatStartFailedMessage_Reason_Unspecified = BBMChatStartFailedMessageReason(rawValue: 0)
/// There is a one-to-one chat with that identity.
public let kBBMChatStartFailedMessage_ReasonAlreadyExists = BBMChatStartFailedMessageReason(rawValue: 1)
/// The service knows none of the identities.
public let kBBMChatStartFailedMessage_ReasonInvalidInvitees = BBMChatStartFailedMessageReason(rawValue: 2)
/// It may work later.
public let kBBMChatStartFailedMessage_ReasonTemporaryFailure = BBMChatStartFailedMessageReason(rawValue: 3)
