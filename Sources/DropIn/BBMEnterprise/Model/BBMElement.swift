// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// One entry of the data model. It is the same object as long as the model knows it, and every property is observable.
@preconcurrency @MainActor public class BBMElement: BBMObject {
  private(set) var values: [String: Any]
  private var state = kBBMStatePending
  weak var model: BBMDSGeneratedModel?

  required init(_ values: [String: Any], model: BBMDSGeneratedModel?) {
    self.values = values
    self.model = model
    super.init()
  }

  /// Pending until it has come, missing when the service has no such element or has it no more.
  public var bbmState: BBMElementState {
    track("bbmState")
    return state
  }

  /// The key in its map, as text; nil before the service has said it.
  public var primaryKey: String! { model?.key(of: self) }

  /// The value of a property by its name in the service's messages.
  public func value(forKey key: String) -> Any? { field(key) }

  /// Takes what a message says of it.
  func merge(_ changes: [String: Any]) {
    for (name, value) in changes {
      if value is NSNull {
        guard values.removeValue(forKey: name) != nil else { continue }
      } else {
        guard !FieldValue.isSame(values[name], value) else { continue }
        values[name] = value
      }
      changed(name)
    }
    enter(kBBMStateCurrent)
  }

  func enter(_ new: BBMElementState) {
    guard state != new else { return }
    state = new
    // A monitor that has read a missing element asks for it again.
    if new == kBBMStateMissing { allChanged() } else { changed("bbmState") }
  }

  /// Forgets all but its key.
  func clear(keeping keys: [String]) {
    values = values.filter { keys.contains($0.key) }
    allChanged()
  }

  // MARK: reading, which monitors notice

  final func field(_ name: String) -> Any? {
    track(name)
    return values[name]
  }
  final func text(_ name: String) -> String! { field(name) as? String }
  final func integer(_ name: String) -> UInt64 { FieldValue.integer(field(name)) ?? 0 }
  final func number(_ name: String) -> NSNumber! { FieldValue.number(field(name)) }
  final func bool(_ name: String) -> Bool { FieldValue.bool(field(name)) ?? false }
  final func dictionary(_ name: String) -> [AnyHashable: Any]! { FieldValue.dictionary(field(name)) }
  final func isFlagged(_ letter: Character) -> Bool { (field("flags") as? String ?? "").contains(letter) }
}

/// A name and value of the whole service, such as the state of the setup.
@preconcurrency @MainActor public final class BBMGlobal: BBMElement {
  public var name: String! { text("name") }
  /// A text, number or dictionary.
  public var value: Any! { field("value") }
}

@preconcurrency @MainActor public final class BBMUser: BBMElement {
  /// Its name in the data model; that of the local user is `bbmpim://user/id/0`.
  public var uri: String! { text("uri") }
  /// The identity's permanent number in its domain.
  public var regId: NSNumber! { number("regId") }
  /// Eight hexadecimal digits in small letters.
  public var pin: String! { text("pin") }
  /// `Synced`, or `Import` while the keys have to be imported, in domains with cloud key storage.
  public var keyState: String! { text("keyState") }
}

/// Somebody of a chat other than the local user.
@preconcurrency @MainActor public final class BBMChatParticipant: BBMElement {
  public var chatId: String! { text("chatId") }
  public var userUri: String! { text("userUri") }
  public var state: BBMChatParticipantState { BBMChatParticipantState(field("state")) }
  /// A set of letters: `A` is an administrator.
  public var flags: String! { text("flags") }
  public var isAdminFlagSet: Bool { isFlagged("A") }
  public var resolvedUserUri: BBMUser! { model?.user(uri: userUri) }
}

/// A sign that somebody types in a chat; it is removed after some seconds.
@preconcurrency @MainActor public final class BBMTyping: BBMElement {
  public var chatId: String! { text("chatId") }
  public var userUri: String! { text("userUri") }
  public var tag: String! { text("tag") }
  public var resolvedUserUri: BBMUser! { model?.user(uri: userUri) }
}

/// The progress of a file that is being transferred now.
@preconcurrency @MainActor public final class BBMChatMessageFileProgress: BBMElement {
  public var chatId: String! { text("chatId") }
  public var messageId: UInt64 { integer("messageId") }
  public var bytes: UInt64 { integer("bytes") }
  public var total: UInt64 { integer("total") }
}

/// A figure of the service; never given here.
@preconcurrency @MainActor public final class BBMStat: BBMElement {
  public var name: String! { text("name") }
  public var value: Any! { field("value") }
}

/// A message between apps outside of chats; never given here.
@preconcurrency @MainActor public final class BBMAppMessage: BBMElement {
  public var id: String! { text("id") }
  public var data: [AnyHashable: Any]! { dictionary("data") }
}
