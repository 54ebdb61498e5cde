import Foundation
import ParleyViews
import Testing

@testable import BBMEnterprise
@testable import BBMListing

/// Signing in and the setup, with the questions on the screen.
@MainActor @Suite(.serialized) struct SetupTests {
  private final class Delegate: BBMAuthControllerDelegate {
    var heard: [String] = []
    func authStateChanged(_ authState: BBMAuthState) {
      let parts = [authState.account?.accountId, authState.authTokenState, authState.setupState]
      heard.append(parts.map { $0 ?? "-" }.joined(separator: " ") + " \(authState.regId?.stringValue ?? "-")")
    }
    func serviceStateChanged(_ serviceStarted: Bool) { heard.append("\(serviceStarted)") }
  }

  @MainActor private final class App {
    let service: BBMEnterpriseService
    let feed: Feed
    let screen = UIViewController()
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    let controller: BBMAuthController
    let delegate = Delegate()

    init(_ manager: any BBMTokenManager = BBMTestTokenManager(), isStarted: Bool = true) {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bbm-" + UUID().uuidString)
      ParleyServer.dataFolder = folder
      (service, feed) = Feed.service(isStarted: false)
      controller = BBMAuthController(manager, service: service, domain: "domain")
      window.rootViewController = screen
      window.makeKeyAndVisible()
      controller.rootController = screen
      controller.addDelegate(delegate)
      if isStarted { start() }
    }

    func start() {
      controller.startBBMEnterpriseService()
      feed.finishStart()
      feed.pump()
    }

    func close() {
      for question in UIApplication.shared.alerts.reversed() { question.dismiss(animated: false) }
      window.close()
      if let folder = ParleyServer.dataFolder { try? FileManager.default.removeItem(at: folder) }
      ParleyServer.dataFolder = nil
    }

    func sync(_ state: String, _ wanted: String) {
      feed.setGlobal("syncPasscodeState", wanted)
      feed.setup(state)
    }
  }

  @Test("a new user: id, passcode twice, success, and the next run signs in by itself")
  func newUser() throws {
    let app = App(isStarted: false)
    defer { app.close() }
    app.controller.signInSilently()
    app.start()
    #expect(app.controller.serviceStarted && UIApplication.shared.alerts.isEmpty)
    app.controller.tokenManager.signIn!()
    try #require(Question()).answer("Sign In", "  ")
    // An empty id is asked for again.
    try #require(Question()).answer("Sign In", "ann")
    let token = try #require(app.feed.sent("authToken").first?["authToken"] as? String)
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    #expect(parts.count == 3 && parts[2].isEmpty && app.feed.sent("authToken").first?["userId"] as? String == "ann")
    #expect(!app.controller.startedAndAuthenticated)
    app.feed.setGlobal("authTokenState", "Ok")
    app.feed.setup("Ongoing")
    app.sync("SyncRequired", "None")
    #expect(UIApplication.shared.alerts.isEmpty)
    app.feed.setGlobal("syncPasscodeState", "New")
    try #require(Question()).answer("OK", "too short", "too short")
    #expect(try #require(Question()).alert.message?.contains("at least 10") == true)
    try #require(Question()).answer("OK", "correct horse", "correct house")
    #expect(try #require(Question()).alert.message?.contains("differ") == true && app.feed.sent("syncStart").isEmpty)
    try #require(Question()).answer("OK", "correct horse", "correct horse")
    #expect(app.feed.sent("syncStart").map { "\($0["action"] ?? "") \($0["passcode"] ?? "")" } == ["New correct horse"])
    app.feed.setup("SyncStarted")
    app.feed.give("syncError", ["error": "Failure", "detail": "weakPasscode"])
    app.feed.setup("SyncRequired")
    #expect(try #require(Question()).alert.message?.contains("tried first") == true)
    try #require(Question()).answer("OK", "seven rusty bicycles", "seven rusty bicycles")
    app.feed.setup("SyncStarted")
    app.feed.setup("Ongoing")
    app.feed.setup("Success")
    app.feed.pump()
    #expect(app.controller.startedAndAuthenticated && UIApplication.shared.alerts.isEmpty)
    #expect(app.delegate.heard.first == "true" && app.delegate.heard.last == "ann Ok Success 7")
    #expect(app.controller.userManager.user(forRegId: 7)?.name == "ann")

    let next = BBMTestTokenManager()
    let (service, feed) = Feed.service()
    let controller = BBMAuthController(next, service: service, domain: "domain")
    controller.signInSilently()
    #expect(feed.sent("authToken").first?["userId"] as? String == "ann")
    // Signing out: the data goes, then the account, and the service is there for the next user.
    service.resetService()
    controller.signOut()
    #expect(controller.authState.account == nil && controller.authState.setupState == nil && feed.wipes == 1)
    #expect(controller.serviceStarted == false || service.serviceState == kBBMCoreServiceStateStarted)
    controller.signInSilently()
    #expect(feed.sent("authToken").count == 1)
  }

  @Test("a wrong passcode is asked for again with its reason; forgetting makes new keys")
  func existingPasscode() throws {
    let app = App()
    defer { app.close() }
    app.sync("SyncRequired", "Existing")
    try #require(Question()).answer("Unlock", "wrong one")
    app.feed.setup("SyncStarted")
    app.feed.give("syncError", ["error": "IncorrectPasscode"])
    app.feed.setup("SyncRequired")
    #expect(try #require(Question()).alert.message?.hasPrefix("The passcode is wrong.") == true)
    try #require(Question()).answer("Unlock", "wrong two")
    // The state may come first.
    app.feed.setup("SyncStarted")
    app.feed.setup("SyncRequired")
    app.feed.give("syncError", ["error": "Timeout"])
    #expect(
      try #require(Question()).alert.message?.contains("in time") == true && UIApplication.shared.alerts.count == 1)
    try #require(Question()).answer("Forgot Passcode")
    try #require(Question()).answer("Back")
    try #require(Question()).answer("Forgot Passcode")
    #expect(try #require(Question()).alert.message?.contains("all your chats are lost") == true)
    try #require(Question()).answer("Make New Keys")
    try #require(Question()).answer("OK", "a new passcode", "a new passcode")
    #expect(
      app.feed.sent("syncStart").map { "\($0["action"] ?? "") \($0["passcode"] ?? "")" }
        == ["Existing wrong one", "Existing wrong two", "New a new passcode"])
    // A reset takes a question away.
    app.feed.setup("SyncStarted")
    app.feed.setup("SyncRequired")
    #expect(Question() != nil)
    app.service.resetService()
    #expect(Question() == nil)
  }

  @Test("a passcode is changed after success alone, one change at a time")
  func changingPasscode() throws {
    final class Watcher: BBMPasscodeChangeDelegate {
      var heard: [String] = []
      func passcodeChanged(_ isChanged: Bool, error: BBMPasscodeError) { heard.append("\(isChanged) \(error)") }
    }
    let app = App()
    defer { app.close() }
    let watcher = Watcher()
    let manager: BBMKMSManager = app.controller.kmsManager
    #expect(!manager.changePasscode(watcher))
    app.feed.setup("Success")
    #expect(manager.changePasscode(watcher) && !manager.changePasscode(watcher))
    try #require(Question()).answer("Cancel")
    #expect(manager.changePasscode(watcher))
    try #require(Question()).answer("OK", "another passcode", "another passcode")
    #expect(app.feed.sent("syncPasscodeChange").first?["passcode"] as? String == "another passcode")
    app.feed.give("syncPasscodeChangeResult", ["result": "TemporaryFailure"])
    // A program without a user.
    manager.passcodeManager = BBMFixedPasscodeManager(passcode: "correct horse", newPasscode: nil)
    app.sync("SyncRequired", "Existing")
    app.feed.give("syncError", ["error": "IncorrectPasscode"])
    app.feed.setup("SyncRequired")
    #expect(app.feed.sent("syncStart").map { $0["passcode"] as? String } == ["correct horse"])
    #expect(watcher.heard == ["false temporary"])
  }

  @Test("a full identity loses another endpoint, never this one, and the setup goes on")
  func full() throws {
    let app = App()
    defer { app.close() }
    let endpoints: [[String: Any]] = [
      ["endpointId": "own", "isCurrent": true], ["endpointId": "old", "nickname": "Phone", "isCurrent": false],
    ]
    app.feed.answers["endpointsGet"] = {
      let body: [String: Any] = [
        "cookie": $0["cookie"] ?? "", "result": "Success", "maxEndpoints": 3, "registeredEndpoints": endpoints,
      ]
      return [("endpoints", body)]
    }
    app.feed.answers["endpointDeregister"] = {
      [("endpointDeregisterResult", ["cookie": $0["cookie"] ?? "", "result": "Success"])]
    }
    app.feed.setup("Full")
    let manager: BBMEndpointManager = app.controller.endpointManager
    manager.deregisterAnyEndpointAndContinueSetup()
    // Apps call it with each change of the state.
    manager.deregisterAnyEndpointAndContinueSetup()
    app.feed.pump()
    #expect(app.feed.sent("endpointDeregister").map { $0["endpointId"] as? String } == ["old"])
    #expect(app.feed.sent("setupRetry").count == 1)
    var found: ([String?], Int)?
    manager.endpoints { found = ($0?.map(\.nickname) ?? [], $1) }
    app.feed.pump()
    #expect(found?.0 == [nil, "Phone"] && found?.1 == 3)
    BBMAccess.service = app.service
    defer { BBMAccess.service = .shared() }
    BBMAccess.sendSetupRetry()
    #expect(app.feed.sent("setupRetry").count == 2)
  }

  @Test("an expired token is replaced silently, a rejected one isn't; removal signs out")
  func tokens() {
    DirectoryTokenManager.current = ("ann", "first")
    defer { DirectoryTokenManager.current = nil }
    let app = App(DirectoryTokenManager())
    defer { app.close() }
    app.controller.tokenManager.signIn()
    app.feed.setGlobal("authTokenState", "Ok")
    app.feed.setup("Success")
    DirectoryTokenManager.current = ("ann", "second")
    app.feed.setGlobal("authTokenState", "Needed")
    #expect(app.feed.sent("authToken").map { $0["authToken"] as? String } == ["first", "second"])
    app.feed.setGlobal("authTokenState", "Rejected")
    #expect(app.controller.authState.authTokenState == kBBMAuthStateRejected)
    #expect(app.controller.authState.setupState == kBBMSetupStateSuccess && app.feed.sent("authToken").count == 2)
    app.feed.setGlobal("authTokenState", "Ok")
    app.feed.give("endpointDeregistered", [:])
    app.feed.finishStart()
    #expect(app.delegate.heard.suffix(3) == ["false", "- - - -", "true"] && DirectoryTokenManager.current == nil)
    // It does not set itself up again: it waits for its user.
    #expect(app.feed.sent("authToken").count == 2 && app.feed.starts == 2)
    DirectoryTokenManager.current = ("ann", "third")
    app.controller.tokenManager.signIn()
    app.feed.setGlobal("authTokenState", "Ok")
    app.feed.setup("Success")
    #expect(app.feed.sent("authToken").count == 3)
    // Nor is another token sent when the user signs out.
    app.service.resetService()
    app.controller.signOut()
    #expect(app.feed.sent("authToken").count == 3)
  }

  @Test("users are looked up once, and a chat's creator matches answers by their cookie")
  func users() throws {
    let app = App()
    defer { app.close() }
    app.feed.answers["identitiesGet"] = { body in
      let info = body["appUserIds"] as? [String] == ["ben"] ? [["appUserId": "ben", "regId": "9"]] : []
      return [("identities", ["cookie": body["cookie"] ?? "", "result": "Success", "info": info])]
    }
    app.feed.answers["chatStart"] = { body in
      guard (body["invitees"] as? [Any])?.isEmpty == false else {
        return [("chatStartFailed", ["cookie": body["cookie"] ?? "", "reason": "InvalidInvitees"])]
      }
      let elements = [["chatId": "5", "subject": body["subject"] ?? ""]]
      return [("listAdd", ["type": "chat", "cookie": body["cookie"] ?? "", "elements": elements])]
    }
    var found: [String] = []
    for user in ["ben", "nobody", "ben"] {
      app.controller.userManager.getRegId(forUserId: user) { found.append("\($0?.regId ?? 0) \($1)") }
      app.feed.pump()
    }
    #expect(found == ["9 true", "0 true", "9 true"] && app.feed.sent("identitiesGet").count == 2)
    let creator = BBMChatCreator(service: app.service)
    var chats: [String] = []
    creator.startChat(withRegId: 9, subject: "Lunch") { chats.append("\($0 ?? "") \($1.rawValue)") }
    creator.startConference(withRegIds: [], subject: "") { chats.append("\($0 ?? "") \($1.rawValue)") }
    app.feed.pump()
    #expect(chats == ["5 0", " 2"])
  }
}
