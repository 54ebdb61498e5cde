import Foundation
import Messaging
import MessagingClient

/// The names of the SDK's messages for the values of the client.
enum WireNames {
  /// `notSynced` as `NotSynced`.
  static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

  static func state(_ state: Chat.State) -> String {
    switch state {
    case .waiting: "Waiting"
    case .restoring: "Restore"
    case .ready: "Ready"
    case .defunct: "Defunct"
    }
  }

  /// The address of a user in the data model: that of the local user has no number.
  static func uri(_ id: RegID, own: RegID?) -> String {
    id == own ? BBMDSGeneratedModel.localUri : "bbmpim://user/id/\(id.value)"
  }

  static func regId(_ uri: String?, own: RegID?) -> RegID? {
    guard let uri else { return nil }
    if uri == BBMDSGeneratedModel.localUri { return own }
    return uri.split(separator: "/").last.flatMap { UInt64($0) }.map { RegID($0) }
  }

  /// A JSON object from its text.
  static func object(_ text: String?) -> [String: Any]? {
    guard let text else { return nil }
    return try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
  }

  /// The text of a JSON object; nil when it is none.
  static func text(_ object: Any?) -> String? {
    guard let fields = FieldValue.dictionary(object) else { return nil }
    let object = Dictionary(fields.compactMap { key, value in (key.base as? String).map { ($0, value) } }) { $1 }
    guard JSONSerialization.isValidJSONObject(object),
      let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  static func error(_ error: SyncError) -> String {
    switch error {
    case .incorrectPasscode: "IncorrectPasscode"
    case .timeout: "Timeout"
    // The SDK has no word for these: they are failures with a reason of their own.
    case .locked, .weakPasscode, .tampered, .failure: "Failure"
    }
  }

  /// Why a passcode failed, where the SDK's words say too little.
  static func detail(_ error: SyncError) -> String? {
    switch error {
    case .locked(let seconds): "locked for \(seconds) s"
    case .weakPasscode: "weakPasscode"
    case .tampered: "tampered"
    case .incorrectPasscode, .timeout, .failure: nil
    }
  }

  /// A warning's name and what it is about.
  static func fields(_ warning: SecurityWarning) -> [String: Any] {
    func about(_ kind: String, _ chat: ChatID? = nil, _ number: MessageNumber? = nil, _ id: RegID? = nil) -> [String:
      Any]
    {
      var fields: [String: Any] = ["kind": kind]
      fields["chatId"] = chat?.text
      fields["messageId"] = number.map { "\($0.value)" }
      fields["regId"] = id.map { "\($0.value)" }
      return fields
    }
    return switch warning {
    case .keysChanged(let id): about("keysChanged", nil, nil, id)
    case .ownKeysDiffer: about("ownKeysDiffer")
    case .vaultRolledBack: about("vaultRolledBack")
    case .replayed(let chat, let number): about("replayed", chat, number)
    case .missing(let chat, let id, _): about("missing", chat, nil, id)
    case .reordered(let chat, let number): about("reordered", chat, number)
    case .forked(let chat, let number): about("forked", chat, number)
    case .withheld(let chat, let id, _): about("withheld", chat, nil, id)
    case .wrongSignature(let chat, let number): about("wrongSignature", chat, number)
    case .numberReused(let chat, let number): about("numberReused", chat, number)
    case .wrongKeyEnvelope(let chat): about("wrongKeyEnvelope", chat)
    case .unknownKeyHolders(let chat, _): about("unknownKeyHolders", chat)
    }
  }
}
