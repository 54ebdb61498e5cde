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

  @Test func aTokenMayStandInTheFragmentAndIsNoSettingThere() throws {
    let address = try MeetingAddress("http://h/r#jwt=abc.def&userInfo.displayName=Ann")
    #expect(address.token?.value == "abc.def")
    #expect(address.displayName == "Ann" && address.overrides["jwt"] == nil)
    #expect(try MeetingAddress("http://h/r?jwt=old#jwt=new").token?.value == "new")
    #expect(try MeetingAddress("http://h/r#jwt").token == nil)
  }

  @Test("a name that draws nothing is as absent; a muted start has many spellings")
  func oddSettings() throws {
    for blank in ["%22%22", "%E2%80%AE%E3%85%A4", "%E2%A0%80", "%20"] {
      #expect(try MeetingAddress("http://h/r#userInfo.displayName=\(blank)").displayName == nil, "\(blank)")
    }
    for on in ["", "=true", "=True", "=%22TRUE%22", "=1"] {
      let address = try MeetingAddress("http://h/r#config.startWithAudioMuted\(on)")
      #expect(address.startsWithAudioMuted && !address.startsWithVideoMuted, "\(on)")
    }
    #expect(try !MeetingAddress("http://h/r#config.startWithAudioMuted=false").startsWithAudioMuted)
  }

  @Test("an encrypted meeting's key is from the fragment, isn't a setting or printed")
  func linkSecret() throws {
    let secret = try LinkSecret()
    let address = try MeetingAddress("http://h/r#userInfo.displayName=Ann&e2ee=\(secret.text)&jwt=t")
    #expect(address.linkSecret == secret && address.overrides["e2ee"] == nil && address.displayName == "Ann")
    #expect(!"\(address)".contains(secret.text) && !String(reflecting: address).contains(secret.text))
    var dumped = ""
    dump(address, to: &dumped)
    #expect(!dumped.contains(secret.text))
    #expect(try MeetingAddress("http://h/r#jwt=t").linkSecret == nil)
  }

  @Test("a damaged or server-readable key is an error, and never a meeting in clear")
  func damagedLinkSecret() throws {
    let text = try LinkSecret().text
    for address in [
      "http://h/r#e2ee=\(text.dropLast())", "http://h/r#e2ee=", "http://h/r#e2ee", "http://h/r?e2ee=\(text)",
      "http://h/r#e2ee=\(text)&e2ee=\(try LinkSecret().text)",
    ] {
      let error = #expect(throws: JoinError.self) { try MeetingAddress(address) }
      #expect(error?.description.contains(text) == false)
    }
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

  @Test(
    "an address with more after the room is refused with what was read and expected",
    arguments: ["http://h/hello/there", "http://h/hello//there/", "http://h/a/b?jwt=x#c=d"])
  func moreThanARoom(_ text: String) {
    let error = #expect(throws: JoinError.self) { try MeetingAddress(text) }
    #expect(error?.description.contains("http://h/<room> is expected") == true, "\(String(describing: error))")
    #expect(error?.description.contains("jwt") == false)
  }

  @Test func aSlashAtTheEndIsNoFurtherPart() throws {
    #expect(try MeetingAddress("http://h/hello/").roomSegment == "hello")
  }

  @Test("the address of a discover document says how it is used", arguments: ["discover/hello", "Discover?a=b"])
  func discoverAddress(_ path: String) {
    let error = #expect(throws: JoinError.self) { try MeetingAddress("http://h/\(path)") }
    #expect(error?.description.contains("--discover") == true, "\(String(describing: error))")
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
