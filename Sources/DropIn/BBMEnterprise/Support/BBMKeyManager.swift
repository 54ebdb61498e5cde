// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import Foundation
import ParleyViews

/// A pair of keys, in base64.
public struct BBMKeyPair: Hashable, Sendable {
  public let encryption: String
  public let signing: String

  public init(encryption: String, signing: String) {
    self.encryption = encryption
    self.signing = signing
  }

  init?(_ fields: Any?) {
    guard let fields = FieldValue.dictionary(fields), let encryption = fields["encryption"] as? String,
      let signing = fields["signing"] as? String
    else { return nil }
    self.init(encryption: encryption, signing: signing)
  }

  var fields: [AnyHashable: Any] { ["encryption": encryption, "signing": signing] }
}

/// The keys of an identity.
public struct BBMProfileKeys: Hashable, Sendable {
  public let privateKeys: BBMKeyPair
  public let publicKeys: BBMKeyPair

  /// The keys of an identity.
  public init(privateKeys: BBMKeyPair, publicKeys: BBMKeyPair) {
    self.privateKeys = privateKeys
    self.publicKeys = publicKeys
  }
}

/// A store of the app for keys that the server's vault does not keep. It has to seal private keys and chats' keys.
/// The names of its methods are this module's.
@preconcurrency @MainActor public protocol BBMKeyStorageProvider: AnyObject {
  /// A provider that has done nothing yet.
  init()
  /// Stores the local user's keys.
  func storeProfileKeys(_ keys: BBMProfileKeys, forRegId regId: NSNumber!)
  /// Reads the local user's keys; nil when there are none.
  func readProfileKeys(forRegId regId: NSNumber!, callback: @escaping @MainActor (BBMProfileKeys?) -> Void)
  /// Reads the public keys of a user; nil when there are none.
  func readPublicKeys(forRegId regId: NSNumber!, callback: @escaping @MainActor (BBMKeyPair?) -> Void)
  /// Stores the key of a chat; nil removes it.
  func storeChatKey(_ key: String?, forMailboxId mailboxId: String!)
  /// Reads the key of a chat; nil when there is none.
  func readChatKey(forMailboxId mailboxId: String!, callback: @escaping @MainActor (String?) -> Void)
}

/// Exports keys to, and imports them from, where the app keeps them, in domains whose key management is off.
///
/// It acts on changes of the states alone, since what it does changes them.
@preconcurrency @MainActor public final class BBMKeyManager {
  private let storage: any BBMKeyStorageProvider
  private let service: BBMEnterpriseService
  private var monitor: ObservableMonitor?
  private var listener: MessageListener?
  private var lastProfileState: String?
  private var lastChatStates: [String: BBMChatKeyState] = [:]
  private var mailboxes: [String: String] = [:]
  private var regId: NSNumber?

  /// A manager for the shared service.
  public convenience init(keyStorageProvider: (any BBMKeyStorageProvider)!) {
    self.init(keyStorageProvider: keyStorageProvider, service: .shared())
  }

  init(keyStorageProvider: any BBMKeyStorageProvider, service: BBMEnterpriseService) {
    storage = keyStorageProvider
    self.service = service
    let listener = MessageListener { [weak self] in self?.receive($0) }
    self.listener = listener
    service.add(listener, forMessageNames: ["profileKeys", "chatKey", "profileKeysImportFailure"])
  }

  /// Synchronises keys from now on, whenever the service needs it.
  public func startAutomaticKeySync() {
    monitor = ObservableMonitor(activatedWithName: "BBMKeyManager") { [weak self] () -> Void in self?.look() }
  }

  public func stopAutomaticKeySync() {
    monitor?.deActivate()
    monitor = nil
  }

  /// Imports the local user's keys where there are some, else exports them.
  public func syncProfileKeys(forLocalUser userId: String!, regId: NSNumber!) {
    self.regId = regId
    storage.readProfileKeys(forRegId: regId) { [weak self] keys in
      guard let keys else {
        self?.service.sendMessage(toService: BBMProfileKeysExportMessage())
        return
      }
      self?.service.sendMessage(
        toService: BBMProfileKeysImportMessage(privateKeys: keys.privateKeys.fields, publicKeys: keys.publicKeys.fields)
      )
    }
  }

  /// Imports the public keys of a user.
  public func readUserKey(_ regId: NSNumber!) {
    storage.readPublicKeys(forRegId: regId) { [weak self] keys in
      guard let keys, let regId = regId as NSNumber? else { return }
      self?.service.sendMessage(
        toService: BBMUserKeysImportMessage(keys: [
          [
            "regId": regId.stringValue, "encryptionPublicKey": keys.encryption, "signingPublicKey": keys.signing,
          ]
        ]))
    }
  }

  private func look() {
    let model: BBMDSGeneratedModel = service.model()
    let profile = model.globalProfileKeysState
    let regId = model.localUser?.regId
    let chats = (model.chat.observableArray as? [BBMChat] ?? []).map {
      ($0.chatId ?? "", $0.mailboxId ?? "", $0.keyState)
    }
    Watchers.untracked {
      if profile == kBBMKeyStateNotSynced, lastProfileState != profile, let regId {
        lastProfileState = profile
        syncProfileKeys(forLocalUser: nil, regId: regId)
      } else if profile != kBBMKeyStateNotSynced {
        lastProfileState = profile
      }
      for (chat, mailbox, state) in chats where lastChatStates[chat] != state {
        lastChatStates[chat] = state
        mailboxes[chat] = mailbox
        if state == kBBMChat_KeyStateExport {
          service.sendMessage(toService: BBMChatKeyExportMessage(chatId: chat, cookie: chat))
        } else if state == kBBMChat_KeyStateImport {
          importKey(chat, mailbox)
        }
      }
      let present = Set(chats.map(\.0))
      for (chat, mailbox) in mailboxes where !present.contains(chat) {
        mailboxes[chat] = nil
        lastChatStates[chat] = nil
        storage.storeChatKey(nil, forMailboxId: mailbox)
      }
    }
  }

  private func importKey(_ chat: String, _ mailbox: String) {
    storage.readChatKey(forMailboxId: mailbox) { [weak self] key in
      // Without a key the chat is left, so that others can invite again.
      guard let key else {
        self?.service.sendMessage(toService: BBMChatLeaveMessage(chatIds: [chat]))
        return
      }
      self?.service.sendMessage(toService: BBMChatKeysImportMessage(keys: [["mailboxId": mailbox, "key": key]]))
    }
  }

  private func receive(_ message: BBMJSONMessage) {
    switch message {
    case let message as BBMProfileKeysMessage:
      guard let privateKeys = BBMKeyPair(message.fields["privateKeys"]),
        let publicKeys = BBMKeyPair(message.fields["publicKeys"])
      else { return }
      storage.storeProfileKeys(BBMProfileKeys(privateKeys: privateKeys, publicKeys: publicKeys), forRegId: regId)
      setSynced("global", ["name": "profileKeysState", "value": kBBMKeyStateSynced])
    case let message as BBMChatKeyMessage:
      // The answer names no chat; the cookie is the chat's id.
      guard let chat = message.cookie as String?, let mailbox = mailboxes[chat] else { return }
      storage.storeChatKey(message.key, forMailboxId: mailbox)
      setSynced("chat", ["chatId": chat, "keyState": kBBMKeyStateSynced])
    case is BBMProfileKeysImportFailureMessage:
      service.sendMessage(toService: BBMProfileKeysExportMessage())
    default: break
    }
  }

  private func setSynced(_ type: String, _ element: [String: Any]) {
    service.sendMessage(toService: BBMRequestListChangeMessage(elements: [element], type: type))
  }
}
