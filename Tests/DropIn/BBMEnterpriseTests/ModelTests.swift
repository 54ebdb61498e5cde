import Foundation
import ParleyViews
import Testing

@testable import BBMEnterprise

@MainActor @Suite struct ModelTests {
  private func message(_ number: Int, _ more: [String: Any] = [:]) -> [String: Any] {
    ["chatId": "1", "messageId": "\(number)", "tag": "Text", "content": "text \(number)"].merging(more) { $1 }
  }

  @Test("a map's element is pending, then current or missing; several are asked together")
  func maps() throws {
    let (service, feed) = Feed.service()
    let model = try #require(service.model())
    feed.lists["chatMessage"] = [message(1, ["flags": "IU", "senderUri": "bbmpim://user/id/2", "state": "Delivered"])]
    var work: [@MainActor () -> Void] = []
    model.schedule = { work.append($0) }
    let before = feed.requests.count
    let messages = try [1, 2].map {
      try #require(model.chatMessage[BBMChatMessageKey(chatId: "1", messageId: $0)] as? BBMChatMessage)
    }
    var states: [[BBMElementState]] = []
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "states") { () -> Void in
      states.append(messages.map(\.bbmState))
    }
    for each in work { each() }
    #expect(feed.requests.count == before + 1)
    feed.pump()
    #expect(
      states == [[kBBMStatePending, kBBMStatePending], [kBBMStateCurrent, kBBMStateMissing]]
        && messages[0].content == "text 1" && messages[0].isUnverifiedFlagSet && messages[0].isIncomingFlagSet
        && messages[0].state == kBBMChatMessage_StateDelivered
        && messages[0].resolvedSenderUri?.uri.hasSuffix("2") == true)
    // The same object again, also by a text.
    #expect(model.chatMessage["1|1"] as? BBMChatMessage === messages[0])
    // The missing one has come after all.
    feed.give("listAdd", ["type": "chatMessage", "elements": [message(2)]])
    #expect(messages[1].bbmState == kBBMStateCurrent && messages[1].content == "text 2")
    monitor.deActivate()
  }

  @Test("lists follow additions, changes and removals, and a resync drops what is gone")
  func lists() throws {
    let (service, feed) = Feed.service()
    let model = try #require(service.model())
    feed.lists["chat"] = [["chatId": "1", "state": "Ready"], ["chatId": "2", "state": "Waiting"]]
    let chats: BBMLiveList = model.chat
    var counts: [Int] = []
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "chats") { () -> Void in
      counts.append(chats.bbmState == kBBMStatePending ? -1 : chats.observableArray.count)
    }
    feed.pump()
    feed.give("listAdd", ["type": "chat", "elements": [["chatId": "3", "flags": "AO"]]])
    feed.give("listRemove", ["type": "chat", "elements": [["chatId": "1"]]])
    #expect(counts.filter { $0 >= 0 } == [2, 3, 2] && counts.first == -1)
    let third = try #require(chats["3"] as? BBMChat)
    #expect(third.isAdminFlagSet && third.isOneToOneFlagSet && third.state == kBBMChat_State_Unspecified)
    #expect(chats.compactMap { ($0 as? BBMChat)?.chatId } == ["2", "3"])
    // After the connection was lost.
    feed.lists["chat"] = [["chatId": "2", "state": "Ready"]]
    model.resync()
    #expect(chats.count == 2)
    feed.pump()
    #expect(chats.count == 1 && third.bbmState == kBBMStateMissing && chats["3"] == nil)
    #expect((chats["2"] as? BBMChat)?.state == kBBMChat_StateReady)
    monitor.deActivate()
  }

  @Test("lists by criteria take new elements that match, and criteria name references")
  func criteria() throws {
    let (service, feed) = Feed.service()
    let model = try #require(service.model())
    let vote: [String: Any] = ["tag": "Vote", "ref": [["tag": "Vote", "messageId": "1"]]]
    feed.lists["chatMessage"] = [message(1), message(2, vote)]
    let criteria = BBMChatMessageCriteria()
    criteria.chatId = "1"
    let ref = BBMChatMessageCriteria_Ref()
    ref.tag = "Vote"
    ref.messageId = 1
    criteria.ref = ref
    let votes: BBMLiveList = model.chatMessage(with: criteria)
    #expect(votes.bbmState == kBBMStatePending)
    feed.pump()
    #expect(votes.bbmState == kBBMStateCurrent && votes.count == 1)
    feed.give("listAdd", ["type": "chatMessage", "elements": [message(3), message(4, vote)]])
    #expect(votes.count == 2)
    let second = try #require(votes.array.last as? BBMChatMessage)
    #expect((second.ref.first as? BBMChatMessage_Ref)?.messageId == 1 && second.resolvedChatId?.chatId == "1")
    // Equal criteria are one list.
    #expect(model.chatMessage(with: criteria) === votes)
    let people = BBMChatParticipantCriteria()
    people.chatId = "1"
    let participants: BBMLiveList = model.chatParticipant(with: people)
    feed.give(
      "listAdd",
      ["type": "chatParticipant", "elements": [["chatId": "1", "userUri": "u", "flags": "A", "state": "Pending"]]])
    let one = try #require(participants.array.first as? BBMChatParticipant)
    #expect(one.isAdminFlagSet && one.state == kBBMChatParticipant_StatePending && one.resolvedUserUri?.uri == "u")
  }

  @Test("a number's user becomes the address's user, and ids of 64 bits keep all digits")
  func users() throws {
    let (service, feed) = Feed.service()
    let model = try #require(service.model())
    let number = NSNumber(value: UInt64.max - 1)
    let user: BBMUser = model.user(withRegId: number)
    #expect(user.bbmState == kBBMStatePending && user.regId == number)
    feed.lists["user"]?.append(["uri": "bbmpim://user/id/3", "regId": "18446744073709551614", "pin": "0a1b2c3d"])
    model.resync()
    feed.pump()
    #expect(user.bbmState == kBBMStateCurrent && user.uri == "bbmpim://user/id/3" && user.pin == "0a1b2c3d")
    #expect(model.user(withRegId: number) === user && model.user["bbmpim://user/id/3"] as? BBMUser === user)
    let unknown: BBMUser = model.user(withRegId: 99)
    feed.pump()
    #expect(unknown.bbmState == kBBMStateMissing)
    // One that was asked for by its address first.
    let fourth = try #require(model.user["bbmpim://user/id/4"] as? BBMUser)
    let other: BBMUser = model.user(withRegId: 4)
    feed.give("listAdd", ["type": "user", "elements": [["uri": "bbmpim://user/id/4", "regId": 4]]])
    #expect(fourth.regId == 4 && other.uri == "bbmpim://user/id/4" && other.bbmState == kBBMStateCurrent)
  }

  @Test("listeners hear changes, odd messages change nothing, a wipe leaves missing ones")
  func oddMessages() throws {
    final class Ear: BBMLiveListener {
      var lists = 0
      var maps = 0
      func liveListChanged(_ list: BBMLiveList) { lists += 1 }
      func liveMapChanged(_ map: BBMLiveMap) { maps += 1 }
    }
    let (service, feed) = Feed.service()
    let model = try #require(service.model())
    let ear = Ear()
    model.chat.addListener(ear)
    model.chatMessage.addListener(ear)
    feed.pump()
    for body in [[:], ["type": "none"], ["type": "chat", "elements": [["subject": "no key"]]]] as [[String: Any]] {
      for name in ["listAdd", "listChange", "listRemove", "listElements", "listAll", "unknown"] {
        feed.give(name, body)
      }
    }
    #expect(ear.lists == 0 && model.chat.count == 0)
    feed.give("listAdd", ["type": "chat", "elements": [["chatId": "1"]]])
    feed.give("listChange", ["type": "chat", "elements": [["chatId": "1", "subject": "x"], ["chatId": "9"]]])
    feed.give("listAdd", ["type": "chatMessage", "elements": [message(1)]])
    #expect(ear.lists == 2 && ear.maps == 1)
    model.chat.removeListener(ear)
    let chat = try #require(model.chat["1"] as? BBMChat)
    service.resetService()
    #expect(chat.bbmState == kBBMStateMissing && model.chat.count == 0 && ear.lists == 2 && feed.wipes == 1)
    #expect(model.globalSetupStateState == kBBMSetupStateNotRequested)
  }
}
