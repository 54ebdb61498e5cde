import Basics
import Testing

@testable import MeetingServer

@Suite("STUN and TURN servers that clients are told")
struct IceServerSettingsTests {
  @Test("the option may be repeated or separated by commas, and flags replace what the environment says")
  func repeated() throws {
    let configuration = try ServerConfiguration.parse(
      arguments: [
        "--ice-server", "stun:a.example", "--ice-server=turn:b.example?transport=tcp, turns:b.example", "--turn-user",
        "ann:a:b",
      ],
      environment: ["PARLEY_ICE_SERVER": "stun:other.example"])
    #expect(
      configuration.iceServers.urls == ["stun:a.example", "turn:b.example?transport=tcp", "turns:b.example"])
    let servers = configuration.iceServers.servers(user: "x", now: 0)
    #expect(servers.map(\.urls) == [["stun:a.example"], ["turn:b.example?transport=tcp", "turns:b.example"]])
    #expect(servers[0].username == nil && servers[1].username == "ann" && servers[1].credential == "a:b")
  }

  @Test("threat 23: credentials made from the shared secret are those that coturn expects, and expire")
  func shared() throws {
    var settings = IceServerSettings()
    settings.urls = ["turn:b.example"]
    settings.credentials = .shared(Secret("north"))
    let server = try #require(settings.servers(user: "guest", now: 1_700_000_000).first)
    #expect(server.username == "1700043200:guest")
    // printf '%s' 1700043200:guest | openssl dgst -sha1 -hmac north -binary | base64
    #expect(server.credential == "zeB+Sdk0EdqLH+NBzemdWEFNoU8=")
    #expect(!"\(settings)".contains("north"))
  }

  @Test(
    "what cannot work is refused in words",
    arguments: [
      (["--ice-server", "http://x"], "turn:host:3478"), (["--ice-server", "turn:b.example"], "--turn-secret"),
      (["--ice-server", "turns:x?transport=udp", "--turn-secret", "s"], "DTLS"), (["--turn-user", "ann"], "colon"),
      (["--turn-secret", ""], "the secret"),
    ])
  func refused(arguments: [String], words: String) {
    #expect {
      try ServerConfiguration.parse(arguments: arguments, environment: [:])
    } throws: { "\($0)".contains(words) }
  }

  @Test("the discover document tells them, each time with a user name of its own")
  func discovered() async throws {
    try await TestServer.run({ configuration in
      configuration.iceServers.urls = ["stun:a.example", "turn:b.example"]
      configuration.iceServers.credentials = .shared(Secret("north"))
    }) { server in
      let first = try await server.discover("daily").iceServers
      let second = try await server.discover("daily").iceServers
      #expect(first.map(\.urls) == [["stun:a.example"], ["turn:b.example"]])
      #expect(first[1].username != second[1].username && first[1].credential != second[1].credential)
    }
  }
}
