import Testing

@testable import MeetingServer

@Suite("The server's own name")
struct OwnHostNameTests {
  @Test(
    "addresses and localhost are believed",
    arguments: ["localhost", "LOCALHOST", "app.localhost", "127.0.0.1", "192.0.2.7", "[::1]", "[2001:db8::1]"])
  func accepted(host: String) {
    #expect(OwnHostName.accepts(host))
  }

  @Test(
    "threat 28: a name that somebody else's DNS may point here is not believed",
    arguments: ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", "[evil]"])
  func refused(host: String) {
    #expect(!OwnHostName.accepts(host))
  }
}
