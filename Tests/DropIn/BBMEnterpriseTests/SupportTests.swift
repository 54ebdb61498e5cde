import Foundation
import ParleyViews
import Testing

@testable import BBMEnterprise

/// The rest of the support library.
@MainActor @Suite(.serialized) struct SupportTests {
  @Test("short ways lead to the model and to the messages that they stand for")
  func access() throws {
    let (service, feed) = Feed.service()
    BBMAccess.service = service
    defer { BBMAccess.service = .shared() }
    service.setLoggingMode(kBBMLogModeFileAndConsole)
    service.setLogLevel(kLogLevelVerbose)
    service.setLoggingMode(kBBMLogModeFile)
    feed.give("listAdd", ["type": "chat", "elements": [["chatId": "1", "numMessages": "2", "lastMessage": "2"]]])
    let messages = [1, 2].map {
      ["chatId": "1", "messageId": "\($0)", "tag": "Text", "senderUri": "bbmpim://user/id/2"]
    }
    feed.give("listAdd", ["type": "chatMessage", "elements": messages])
    #expect(BBMAccess.getChats().isEmpty && BBMAccess.currentUser().uri == "bbmpim://user/id/0")
    let chat = try #require(BBMAccess.getChat(forId: "1"))
    let last = try #require(BBMAccess.resolvedLastMessage(for: chat))
    #expect(last.messageId == 2 && BBMAccess.getUserForUserUri(last.senderUri).uri == last.senderUri)
    BBMAccess.markMessagesRead([try #require(BBMAccess.model().chatMessage["1|1"]), last])
    BBMAccess.updateChatSubject("Dinner", for: chat)
    BBMAccess.leave(chat)
    #expect(feed.sent("chatMessageRead").map { $0["messageId"] as? String } == ["2"])
    #expect(
      (feed.sent("requestListChange").first?["elements"] as? [[String: Any]])?.first?["subject"] as? String == "Dinner")
    #expect(feed.sent("chatLeave").first?["chatIds"] as? [String] == ["1"])
    #expect((BBMAccess.participants(for: chat) as BBMLiveList).count == 0)
  }

  @Test("settings are those of the provider, and without a file those of the sandbox")
  func configuration() {
    let nothing = BBMConfigManager(settings: [:])
    #expect(nothing.type == kTestAuth && nothing.isUsingBlackBerryKMS() && nothing.sdkServiceDomain == nil)
    #expect(nothing.environment == kBBMConfig_Sandbox)
    let azure: [String: Any] = [
      "clientId": "app", "domain": "d", "environment": "production", "tenantId": "t", "scope": "s", "issuer": "i",
    ]
    let config = BBMConfigManager(settings: [
      "authProvider": "azureAD", "useBlackBerryKMS": false, "azureAD": azure, "keyProviderPath": "/kms",
    ])
    #expect(config.type == kAzureAD && !config.isUsingBlackBerryKMS() && config.environment == kBBMConfig_Production)
    let texts = [
      config.clientId, config.sdkServiceDomain, config.tenantId, config.clientOauthScope, config.issuer,
      config.keyProviderPath,
    ]
    #expect(texts.map { $0 ?? "" } == ["app", "d", "t", "s", "i", "/kms"])
    #expect(BBMConfigManager(settings: ["authProvider": "googleSignIn"]).type == kGoogleSignIn)
    #expect(BBMConfigManager.default() === BBMConfigManager.defaultManager())
    #expect(BBMGoogleTokenManager().issuer == "https://accounts.google.com")
    BBMAzureTokenManager.setClientId("id", tenantId: "tenant", bbmScope: "api://x/Messaging.All")
    let manager = BBMAzureTokenManager()
    #expect(manager.issuer.contains("/tenant/") && manager.clientId == "id" && manager.scope.hasSuffix("Messaging.All"))
  }

  @Test("a test token has three parts, the user, and an hour")
  func testToken() throws {
    let token = BBMTestToken(userId: "ann", now: Date(timeIntervalSince1970: 1_000), id: "1").token
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    #expect(parts.count == 3 && parts[2].isEmpty && !token.contains("="))
    func decoded(_ part: String) throws -> String {
      let text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
      let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
      return String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
    }
    #expect(try decoded(parts[0]) == #"{"alg":"none"}"#)
    #expect(try decoded(parts[1]) == #"{"exp":4600,"iat":940,"jti":"1","sub":"ann"}"#)
    #expect(BBMTestToken(userId: "ann").token != token)
  }

  @Test("user ids that are spelled differently in Unicode are two users")
  func spellings() {
    let (service, feed) = Feed.service()
    let manager = BBMUserManager(source: nil, service: service)
    var found: [NSNumber?] = []
    let ids: [(user: String, regId: String)] = [("Ren\u{E9}", "1"), ("Rene\u{301}", "2")]
    for (user, regId) in ids {
      manager.getRegId(forUserId: user) { identity, _ in found.append(identity?.regId) }
      let cookie = feed.sent("identitiesGet").last?["cookie"] ?? ""
      let info = [["appUserId": user, "regId": regId]]
      feed.give("identities", ["cookie": cookie, "result": "Success", "info": info])
    }
    #expect(found == [1, 2])
  }

  @Test("accounts and users have what they were made with, and listeners hear of users")
  func users() {
    final class Ear: BBMAppUserListener {
      var names: [String] = []
      func usersChanged(_ users: [BBMAppUser]!) { names = users.map { $0.name ?? "" } }
    }
    let (service, _) = Feed.service()
    let source: any BBMAppUserSource = BBMLocalCachedUserSource()
    let manager = BBMUserManager(source: source, service: service)
    let ear = Ear()
    manager.addUserListener(ear)
    let account: BBMAuthenticatedAccount = .accountData(
      withId: "ann", idToken: "i", accessToken: "a", name: "Ann", email: "e", avatarURL: URL(string: "https://x/y"))
    manager.registerLocalUser(withAccount: account, regId: 7)
    #expect(ear.names == ["Ann"] && manager.user(forRegId: 7)?.avatarUrl == "https://x/y")
    #expect([account.idToken, account.accessToken, account.avatarURL?.host].map { $0 ?? "" } == ["i", "a", "x"])
    manager.removeUserListener(ear)
    BBMUIUtilities.userManager = manager
    defer { BBMUIUtilities.userManager = nil }
    #expect(BBMUIUtilities.displayName(for: BBMUser(["regId": "7"], model: nil)) == "Ann")
    #expect(BBMUIUtilities.displayName(for: BBMUser(["regId": "8"], model: nil)) == nil)
    // Somebody else calls herself the same, in other letters.
    source.registerLocalUser(BBMAppUser(uid: "ann2", regId: 8, name: "\u{FF21}nn ", email: nil, avatarUrl: nil))
    source.registerLocalUser(BBMAppUser(uid: "ben", regId: 9, name: "Ben", email: nil, avatarUrl: nil))
    let ann = BBMUser(["regId": "7", "pin": "0123abcd"], model: nil)
    #expect(BBMUIUtilities.displayName(for: ann) == "Ann (0123abcd)")
    #expect(BBMUIUtilities.displayName(for: BBMUser(["regId": "8"], model: nil)) == "\u{FF21}nn  (8)")
    #expect(BBMUIUtilities.displayName(for: BBMUser(["regId": "9"], model: nil)) == "Ben")
    #expect(BBMAuthState.empty().account == nil && BBMAuthState.emptyAuthState().regId == nil)
    #expect(BBMEndpoint(["endpointId": "e", "description": "d"]).endpointDescription == "d")
    let fromFile: BBMAuthController? = BBMAuthController.fromConfigFile()
    #expect(fromFile?.tokenManager is BBMTestTokenManager && BBMAuthController.authControllerFromConfigFile() != nil)
    fromFile?.localAuthDataChanged(nil, error: nil)
    let prompts: any BBMPasscodeManager = BBMUserPasscodeManager()
    prompts.cancelRequests()
  }

  private final class Storage: BBMKeyStorageProvider {
    var profile: BBMProfileKeys?
    var asked: [NSNumber?] = []
    func storeProfileKeys(_ keys: BBMProfileKeys, forRegId regId: NSNumber!) { profile = keys }
    func readProfileKeys(forRegId regId: NSNumber!, callback: @escaping @MainActor (BBMProfileKeys?) -> Void) {
      callback(profile)
    }
    func readPublicKeys(forRegId regId: NSNumber!, callback: @escaping @MainActor (BBMKeyPair?) -> Void) {
      asked.append(regId)
      callback(BBMKeyPair(encryption: "e", signing: "s"))
    }
    func storeChatKey(_ key: String?, forMailboxId mailboxId: String!) {}
    func readChatKey(forMailboxId mailboxId: String!, callback: @escaping @MainActor (String?) -> Void) {
      callback(nil)
    }
  }

  @Test("without key management, keys are exported once and imported on the next endpoint")
  func keyStorage() {
    let storage = Storage()
    let (service, feed) = Feed.service()
    let manager = BBMKeyManager(keyStorageProvider: storage, service: service)
    manager.startAutomaticKeySync()
    feed.setGlobal("profileKeysState", kBBMKeyStateNotSynced)
    feed.pump()
    #expect(feed.sent("profileKeysExport").count == 1)
    let keys = [
      "privateKeys": ["encryption": "a", "signing": "b"], "publicKeys": ["encryption": "c", "signing": "d"],
    ]
    feed.give("profileKeys", keys)
    #expect(storage.profile?.publicKeys == BBMKeyPair(encryption: "c", signing: "d"))
    #expect(
      (feed.sent("requestListChange").last?["elements"] as? [[String: Any]])?.first?["value"] as? String == "Synced")
    manager.stopAutomaticKeySync()
    manager.syncProfileKeys(forLocalUser: "ann", regId: 7)
    #expect((feed.sent("profileKeysImport").first?["privateKeys"] as? [String: Any])?["signing"] as? String == "b")
    manager.readUserKey(9)
    #expect(feed.sent("userKeysImport").count == 1 && storage.asked == [9])
  }
}
