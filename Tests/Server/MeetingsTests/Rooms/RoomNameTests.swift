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
    "an OpenTok session id is a name of 255 characters with case, in one alphabet")
  func sessions() throws {
    let session = "2_MX4xMDAyMDB-fjE3MDAwMDAwMDAwMDB-c2VsZmhvc3R-"
    #expect(try RoomName(session).key == session && RoomName(session).display == session)
    // The same length of bytes with one letter in another case is another session, which is one, too.
    let twin = "2_MX4xMDAyMDB-fjE3MDAwMDAwMDAwMDB-C2VsZmhvc3R-"
    #expect(OpenTokSession(twin)?.apiKey == "100200")
    #expect(try RoomName(session) != RoomName(twin) && RoomName(session) != RoomName(session.lowercased()))
    // 189 bytes, and one more group of them.
    let inside = "MX4xMDAyMDB-" + String(repeating: "eHh4", count: 60)
    #expect(try RoomName("2_" + inside).key == "2_" + inside && inside.utf8.count == 252)
    #expect(throws: RoomNameError.tooLong) { try RoomName("2_" + inside + "eHh4") }
    #expect(OpenTokSession("2_MX4xMDAyMDB-fjE/") == nil && OpenTokSession("2_MX4xMDAyMDB+fjE=") == nil)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", ".", "..", " ", "?&/", "a\u{0}", "a\u{202E}b", "😀", "a%20", "½", String(repeating: "a", count: 129),
    ])
  func refused(_ text: String) { #expect(throws: RoomNameError.self) { try RoomName(text) } }

  @Test(
    "names match as in Meet Hour: blanks and signs left out, letter forms unified",
    arguments: [
      ("My Room", "myroom"), ("Team Ann & Bob!", "teamannbob"), ("a/b", "ab"), ("<b>", "b"),
      ("a\u{A0}b\u{2003}c", "abc"),
      ("ﬁnance", "finance"), ("ＡＢＣ１２", "abc12"), ("①②⑳", "1220"), ("𝕋𝕖𝕒𝕞", "team"), ("ﾊﾟﾘ", "パリ"), ("Ⅷ", "viii"),
      ("ſtreet", "street"), ("e\u{301}", "é"), ("ﾊﾞ", "バ"), ("K", "k"), ("µ", "μ"),
      ("ÅNGSTRÖM", "ångström"), ("room:[1]@\"x\"", "room1x"),
    ])
  func normalised(_ text: String, _ key: String) throws {
    let name = try RoomName(text)
    #expect(name.key == key)
    // Names that were made of a name's own forms are the same name: nothing is left to do the second time.
    #expect(
      try RoomName(name.display) == name && RoomName(name.key) == name && RoomName(name.display.uppercased()) == name)
  }

  @Test(
    "the server's own paths are refused in any case",
    arguments: ["signal", "Signal", "GetAdhocMeetingJob", "v2", ".well-known"])
  func reserved(_ text: String) { #expect(throws: RoomNameError.reserved(text)) { try RoomName(text) } }

  @Test("the path segment is percent-encoded as needed, and random names don't repeat")
  func segments() throws {
    #expect(try RoomName("é~1").pathSegment == "%C3%A9~1")
    let names = (0..<1_000).map { _ in RoomName.random().display }
    #expect(Set(names).count == 1_000)
    #expect(try RoomName(names[0]).key == names[0])
    #expect(names.allSatisfy { $0.utf8.count == 26 })
  }
}
