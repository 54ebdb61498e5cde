import Parley
import Testing

/// `docs/protocol.md`, "Overrides in the fragment", and the contract of meeting URLs.
@Suite struct MeetingAddressTests {
  @Test func anAddressIsTakenApart() throws {
    let address = try MeetingAddress(
      "https://meet.example:8443/Daily%20talk?jwt=abc.def#config.prejoinPageEnabled=false&userInfo.displayName=%22Ann%20B%22"
    )
    #expect(address.origin == "https://meet.example:8443")
    #expect(address.roomSegment == "Daily%20talk")
    #expect(address.token?.value == "abc.def")
    #expect(address.displayName == "Ann B")
    #expect(address.overrides["config.prejoinPageEnabled"] == "false")
  }

  @Test func aRoomTypedAsPeopleWriteItIsEncoded() throws {
    #expect(try MeetingAddress("http://localhost:8080/Kaffee & Küche").roomSegment == "Kaffee%20%26%20K%C3%BCche")
  }

  @Test func aDisplayNameMayStandWithoutQuotes() throws {
    #expect(try MeetingAddress("http://h/r#userInfo.displayName=Ann").displayName == "Ann")
  }

  @Test(arguments: ["", "hello", "ftp://h/r", "http://", "http:///r", "http://h", "http://h/", "http://u@h/r"])
  func whatIsNoAddressIsRefusedWithWords(_ text: String) {
    #expect(throws: JoinError.self) { try MeetingAddress(text) }
  }

  /// A log of the address must not let anybody in (threat 24 of `docs/threats.md`).
  @Test func theTokenDoesNotPrint() throws {
    let address = try MeetingAddress("http://h/r?jwt=very-secret")
    #expect(!"\(address)".contains("very-secret"))
    var text = ""
    dump(address, to: &text)
    #expect(!text.contains("very-secret"))
  }

  @Test func aHostileAddressIsBounded() {
    #expect(throws: JoinError.self) { try MeetingAddress("http://h/r#" + String(repeating: "a=b&", count: 10_000)) }
  }
}
