import FoundationEssentials
import Signaling
import Testing

@testable import MeetingServer

@Suite("Chat history")
struct ChatHistoryTests {
  @Test("a recreated room numbers on, so clients don't take its messages for old ones")
  func numbers() {
    var history = ChatHistory(after: 1_000)
    #expect([history.nextID(), history.nextID()] == [1_001, 1_002])
  }

  @Test("at most 200 messages and 64 KiB of text are kept, the newest")
  func bounds() {
    var history = ChatHistory()
    for index in 1...300 {
      history.append(ChatEntry(id: index, from: "p", name: "n", text: "x", time: Date(timeIntervalSince1970: 0)))
    }
    #expect(history.visible(to: "q").map(\.id) == Array(101...300))
    for index in 301...320 {
      history.append(
        ChatEntry(
          id: index, from: "p", name: "n", text: String(repeating: "x", count: 16_000),
          time: Date(timeIntervalSince1970: 0)))
    }
    #expect(history.visible(to: "q").map(\.id) == [317, 318, 319, 320])
  }

  @Test("messages that grow by being changed push out the oldest too")
  func growing() {
    var history = ChatHistory()
    func entry(_ id: Int, _ count: Int) -> ChatEntry {
      ChatEntry(
        id: id, from: "p", name: "n", text: String(repeating: "x", count: count), time: Date(timeIntervalSince1970: 0))
    }
    let most = ChatHistory.keptBytes
    for id in 1...4 { #expect(history.append(entry(id, 10)).isEmpty) }
    #expect(history.replace(entry(3, most - 30)).isEmpty)
    #expect(history.replace(entry(4, 30)).map(\.id) == [1, 2])
    #expect(history.open.map(\.id) == [3, 4])
    #expect(history.replace(entry(1, most)).isEmpty)
    #expect(history.replace(entry(3, most)).map(\.id) == [3])
    #expect(history.open.map(\.id) == [4])
  }

  @Test("a private message is shown to its two ends only")
  func privacy() {
    var history = ChatHistory()
    history.append(ChatEntry(id: 1, from: "a", name: "", text: "x", time: Date(timeIntervalSince1970: 0), to: "b"))
    #expect(history.visible(to: "a").count == 1)
    #expect(history.visible(to: "b").count == 1)
    #expect(history.visible(to: "c").isEmpty)
  }
}
