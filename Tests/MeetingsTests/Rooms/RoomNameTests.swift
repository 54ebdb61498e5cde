import Meetings
import Testing

@Suite("Room names")
struct RoomNameTests {
  @Test(
    "letters of any script, digits and - _ . ~ make a name", arguments: ["daily", "Team-A_1.x~", "встреча", "会議", "é"])
  func accepted(_ text: String) throws { #expect(try RoomName(text).display == text) }

  @Test("names are equal without regard to case and to how accents are spelled")
  func equality() throws {
    #expect(try RoomName("Daily") == RoomName("dAILY"))
    #expect(try RoomName("ÉCOLE").key == RoomName("e\u{301}cole").key)
    #expect(try RoomName("e\u{301}").display.unicodeScalars.count == 1)
    #expect(try Set([RoomName("A"), RoomName("a")]).count == 1)
    #expect(try RoomName("Daily").display == "Daily")
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", ".", "..", "a/b", "a b", "a\u{0}", "a\u{202E}b", "<b>", "😀", "a%20", String(repeating: "a", count: 129),
    ])
  func refused(_ text: String) { #expect(throws: RoomNameError.self) { try RoomName(text) } }

  @Test(
    "the server's own paths are refused in any case",
    arguments: ["signal", "Signal", "GetAdhocMeetingJob", "v2", ".well-known"])
  func reserved(_ text: String) { #expect(throws: RoomNameError.reserved(text)) { try RoomName(text) } }

  @Test("the path segment is percent-encoded where it has to be, and random names do not repeat")
  func segments() throws {
    #expect(try RoomName("é~1").pathSegment == "%C3%A9~1")
    let names = (0..<1_000).map { _ in RoomName.random().display }
    #expect(Set(names).count == 1_000)
    #expect(try RoomName(names[0]).key == names[0])
    #expect(names.allSatisfy { $0.utf8.count == 26 })
  }
}
