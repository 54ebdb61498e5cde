import Foundation
import ParleyViews
import Testing

@testable import BBMEnterprise
@testable import BBMListing
@testable import BBMSupport
@testable import SoftPhone

/// Apps' code of language mode 5, as it is, with the shared service over a core in memory.
@MainActor @Suite(.serialized) struct ListingTests {
  /// The shared service, with a new core.
  private func app(_ body: (BBMEnterpriseService, Feed) throws -> Void) rethrows {
    let feed = Feed()
    let service = BBMEnterpriseService.shared()
    service.useCore { feed }
    service.model().schedule = { $0() }
    ParleyServer.dataFolder = FileManager.default.temporaryDirectory.appendingPathComponent("bbm-" + UUID().uuidString)
    defer {
      service.resetService()
      service.stop()
      if let folder = ParleyServer.dataFolder { try? FileManager.default.removeItem(at: folder) }
      ParleyServer.dataFolder = nil
    }
    try body(service, feed)
  }

  @Test("examples batch names, ask again when connected, and keep changed keys until read")
  func names() {
    app { service, feed in
      service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
      feed.finishStart()
      let (names, keys) = (UserNames(), KeyChanges())
      let users = (100..<170).map { service.model().user(withRegId: NSNumber(value: $0)) }
      @MainActor func requests() -> [Int] {
        for user in users { _ = names.name(of: user) }
        names.sendWanted()
        return feed.sent("identitiesGet").map { ($0["regIds"] as? [Any])?.count ?? 0 }
      }
      #expect(requests() == [50, 20])
      feed.give("identities", ["cookie": "names", "result": "Failure", "info": [[String: Any]]()])
      #expect(requests() == [50, 20])
      names.askAgain()
      #expect(requests() == [50, 20, 50, 20])
      let info = ["regId": "100", "appUserId": "ann"]
      feed.give("identities", ["cookie": "names", "result": "Success", "info": [info]])
      #expect(names.name(of: users[0]) == "ann")
      let others = [["regId": "101", "appUserId": " Ann"], ["regId": "102", "appUserId": "ben"]]
      feed.give("identities", ["cookie": "names", "result": "Success", "info": others])
      #expect(users.prefix(3).map { names.name(of: $0) } == ["ann (100)", " Ann (101)", "ben"])

      for kind in ["keysChanged", "keysChanged", "replayed"] {
        feed.give("securityWarning", ["kind": kind, "regId": "100"])
      }
      #expect(keys.regIds == ["100"])
      keys.markRead("100")
      #expect(keys.regIds.isEmpty)
    }
  }

  @Test("after a failure only commands that can mend it keep an example without input")
  func mending() {
    let mending = ["signOut", "signIn", "passcode", "retry", "token"]
    for command in mending { #expect(Visitor.canMend(command), "\(command)") }
    for command in ["endpoints", "stop", "chats", "", "signin"] { #expect(!Visitor.canMend(command), "\(command)") }
  }

  @Test("the call history believes signed entries of chats of two about a sender's call")
  func history() {
    app { service, feed in
      service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
      feed.finishStart()
      func entry(
        _ number: Int, in chat: String, flags: String, _ reason: String, end: Int, posted: Int = 1_000
      ) -> [String: Any] {
        [
          "chatId": chat, "messageId": "\(number)", "tag": "Call_Event", "flags": flags, "timestamp": "\(posted)",
          "senderUri": flags.contains("I") ? "bbmpim://user/id/9" : "bbmpim://user/id/0",
          "data": ["callLogReason": reason, "callEndTime": end, "callDuration": 75],
        ]
      }
      feed.lists = [
        "chat": [["chatId": "two", "flags": "O"], ["chatId": "three", "flags": ""]],
        "chatParticipant": ["two", "three"].map { ["chatId": $0, "userUri": "bbmpim://user/id/9"] },
        "user": [["uri": "bbmpim://user/id/0", "regId": "7"], ["uri": "bbmpim://user/id/9", "regId": "9"]],
        "chatMessage": [
          entry(1, in: "three", flags: "I", "Ended", end: 900), entry(2, in: "two", flags: "IU", "Ended", end: 900),
          entry(3, in: "two", flags: "I", "Ended", end: 9_999), entry(4, in: "two", flags: "", "Cancelled", end: 800),
          entry(5, in: "two", flags: "", "Call Ended", end: 700), entry(6, in: "two", flags: "", "New", end: 600),
          // The latest, by a clock that is wrong.
          entry(7, in: "two", flags: "", "Busy", end: 5, posted: 2_000),
        ],
      ]
      let names = UserNames()
      let history = CallHistory(names)
      for _ in 0..<3 {
        _ = history.entries
        names.sendWanted()
        feed.pump()
      }
      feed.give("identities", ["result": "Success", "info": [["regId": "9", "appUserId": "ben"]]])
      #expect(
        history.entries.map(\.words) == [
          "Call to ben, busy", "Call from ben, 1:15", "Call to ben, not answered", "Call to ben, 1:15", "Call to ben",
        ])
      #expect(history.entries.map(\.end.timeIntervalSince1970) == [5, 1_000, 800, 700, 600])
    }
  }

  @Test("the Quick Start with delegates goes from the start to success and signs out")
  func delegates() throws {
    try app { service, feed in
      let screen = DelegatingScreen()
      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      window.rootViewController = screen
      window.makeKeyAndVisible()
      defer { window.close() }
      feed.finishStart()
      feed.connectivityChanged?(true, true)
      #expect(screen.service == "Started" && screen.connectivity == "Connected")
      screen.signIn(nil)
      try #require(Question()).answer("Sign In", "ann")
      feed.setGlobal("authTokenState", "Ok")
      feed.setup("Ongoing")
      feed.setup("Success")
      feed.pump()
      #expect(screen.states.last == "Ok,Success,7," && screen.signInButton.isHidden && !screen.signOutButton.isHidden)
      screen.signOut(nil)
      #expect(screen.states.last == "No Token,Setup Not Started,," && !screen.signInButton.isHidden)
      #expect(service.serviceState == kBBMCoreServiceStateStarted)
    }
  }

  @Test("the Quick Start's monitor shows its controller's state while it is on the screen")
  func monitors() throws {
    try app { service, feed in
      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      let screen = MonitoringScreen(nibName: nil, bundle: nil)
      feed.finishStart()
      window.rootViewController = screen
      window.makeKeyAndVisible()
      #expect(screen.shown.suffix(2) == ["Started", "Setup Not Started"])
      ListingApp.app().authController().tokenManager.signIn!()
      try #require(Question()).answer("Sign In", "ann")
      feed.setup("Ongoing")
      #expect(screen.shown.last == "Ongoing")
      feed.setup("Full")
      #expect(feed.sent("endpointsGet").count == 1)
      window.close()
      let count = screen.shown.count
      feed.setup("Success")
      #expect(screen.shown.count >= count)
    }
  }

  @Test("an app's own controller and token manager are those of the walkthrough")
  func ownController() {
    app { service, feed in
      let keeper = AccountKeeper()
      let manager = DirectoryTokenManager()
      manager.delegate = keeper
      var seen: [String] = []
      let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "keeper") { () -> Void in
        seen.append(keeper.authState.setupState ?? "none")
      }
      keeper.start("domain")
      DirectoryTokenManager.current = ("ann", "token")
      manager.signIn()
      feed.finishStart()
      #expect(keeper.serviceStarted && feed.sent("authToken").first?["authToken"] as? String == "token")
      feed.setup("Ongoing")
      #expect(keeper.authState.account.email == "ann@example.com" && keeper.authState.regId == 0)
      manager.signOut()
      #expect(seen == ["none", "Ongoing", "none"])
      monitor.deActivate()
    }
  }

  @Test("chat apps show chats, people, messages and votes as they come")
  func chats() {
    app { service, feed in
      let board = Switchboard()
      board.waitForService()
      #expect(!board.isReady)
      feed.lists["chat"] = [["chatId": "1", "numMessages": "2", "lastMessage": "2", "state": "Ready"]]
      feed.lists["chatParticipant"] = [["chatId": "1", "userUri": "bbmpim://user/id/2"]]
      feed.lists["user"]?.append(["uri": "bbmpim://user/id/2", "regId": "2"])
      feed.lists["chatMessage"] = [1, 2].map {
        ["chatId": "1", "messageId": "\($0)", "tag": "Text", "content": "text \($0)", "state": "Sent"]
      }
      service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
      feed.finishStart()
      #expect(board.isReady)
      let list = ChatsScreen()
      list.loadViewIfNeeded()
      feed.pump()
      #expect(list.chats.count == 1 && list.names == ["2"])
      let screen = ChatScreen()
      screen.chat = list.chats[0]
      screen.show()
      feed.pump()
      #expect(screen.lines == ["S text 1", "S text 2"])
      feed.give(
        "listChange", ["type": "chatMessage", "elements": [["chatId": "1", "messageId": "2", "state": "Read"]]])
      #expect(screen.lines.last == "R text 2")
      screen.send("three")
      #expect(feed.sent("chatMessageSend").first?["content"] as? String == "three")
      screen.vote(for: screen.messages[0])
      let change = feed.sent("requestListChange").first?["elements"] as? [[String: Any]]
      #expect((change?.first?["localData"] as? [AnyHashable: Any])?["vote"] as? Bool == true)
      feed.lists["chatMessage"]?.append([
        "chatId": "1", "messageId": "3", "tag": "Vote", "senderUri": "bbmpim://user/id/2",
        "ref": [["tag": "Vote", "messageId": "1"]],
      ])
      screen.count(of: screen.messages[0])
      feed.pump()
      #expect(screen.votes == "1 bbmpim://user/id/2;")
      board.start("2,3", "Lunch")
      let cookie = feed.sent("chatStart").first?["cookie"] as? String ?? ""
      feed.give("listAdd", ["type": "chat", "cookie": cookie, "elements": [["chatId": "7"]]])
      #expect(board.chatId == "7" && list.chats.count == 2)
    }
  }

  @Test("an app that sends its messages by hand gets the answers to them")
  func messages() {
    app { service, feed in
      let desk = MessageDesk()
      desk.begin()
      service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
      feed.finishStart()
      feed.answers["endpointUpdate"] = {
        [("endpointUpdateResult", ["cookie": $0["cookie"] ?? "", "result": "Success"])]
      }
      desk.describe("Ann's phone")
      feed.pump()
      feed.give("listAdd", ["type": "global", "elements": [["name": "syncPasscodeState", "value": "New"]]])
      feed.setup("SyncRequired")
      desk.enter("violet anchors")
      feed.give("syncError", ["error": "Timeout"])
      #expect(desk.heard == ["update Success", "syncError Timeout"])
      #expect(feed.sent("syncStart").first?["action"] as? String == "New")
      feed.answers["endpointsGet"] = { _ in
        let endpoints: [[String: Any]] = [
          ["endpointId": "here", "isCurrent": true], ["endpointId": "there", "isCurrent": false],
        ]
        return [("endpoints", ["result": "Success", "cookie": "get", "registeredEndpoints": endpoints])]
      }
      feed.answers["endpointDeregister"] = { _ in [("endpointDeregisterResult", ["result": "Success"])] }
      desk.freeEndpoint()
      feed.pump()
      #expect(feed.sent("endpointDeregister").first?["endpointId"] as? String == "there")
      #expect(feed.sent("setupRetry").count == 1)
      desk.end()
      let count = desk.raw.count
      feed.give("syncError", ["error": "Failure"])
      #expect(desk.raw.count == count && count == 4)
    }
  }

  @Test("an app's phone hears that there is no call before the setup is complete")
  func phone() {
    app { service, feed in
      service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
      feed.finishStart()
      let screen = PhoneScreen()
      screen.loadViewIfNeeded()
      screen.call("2", video: true)
      #expect(screen.problem == kMediaErrorNotReady && screen.muteTitle == "MUTE" && !screen.canSwitchCamera)
      screen.mute(nil)
      screen.speaker(nil)
      screen.camera(nil)
      screen.end(nil)
      #expect(screen.heard.isEmpty && screen.mediaManager.isOnSpeakerPhone)
    }
  }
}
