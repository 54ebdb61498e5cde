import Basics
import Foundation
import Signaling
import Testing

@testable import MeetingServer

@Suite("STUN and TURN servers that clients are told")
struct IceServerSettingsTests {
  @Test("the option repeats or takes commas, and flags replace the environment")
  func repeated() throws {
    let configuration = try ServerConfiguration.parse(
      arguments: [
        "--ice-server", "stun:a.example", "--ice-server=turn:b.example?transport=tcp, turns:b.example", "--turn-user",
        "ann:a:b",
      ],
      environment: ["PARLEY_ICE_SERVER": "stun:other.example"])
    #expect(
      configuration.iceServers.urls == ["stun:a.example", "turn:b.example?transport=tcp", "turns:b.example"])
    let servers = configuration.iceServers.servers(user: "x", now: 0, lifetime: IceServerSettings.lifetime)
    #expect(servers.map(\.urls) == [["stun:a.example"], ["turn:b.example?transport=tcp", "turns:b.example"]])
    #expect(servers[0].username == nil && servers[1].username == "ann" && servers[1].credential == "a:b")
  }

  @Test("threat 23: credentials from the shared secret are coturn's, and they expire")
  func shared() throws {
    var settings = IceServerSettings()
    settings.urls = ["turn:b.example"]
    settings.credentials = .shared(Secret("north"))
    let server = try #require(settings.servers(user: "guest", now: 1_700_000_000, lifetime: 43_200).first)
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
      (["--turn-user", String(repeating: "ä", count: 255) + ":x"], "508 bytes"),
      (["--turn-secret", ""], "the secret"),
    ])
  func refused(arguments: [String], words: String) {
    #expect {
      try ServerConfiguration.parse(arguments: arguments, environment: [:])
    } throws: { "\($0)".contains(words) }
  }

  @Test("each discover document has the ICE servers, with another user name each time")
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

  @Test(
    "threat 23: outside a TURN password lasts ten minutes, inside for the meeting"
  )
  func atTheDoor() async throws {
    func lifetime(_ servers: [DiscoverDocument.IceServer]?) throws -> Int64 {
      let name = try #require(servers?.last?.username)
      #expect(servers?.last?.credential == IceServerSettings.password(of: name, secret: "north"))
      return try #require(Int64(name.split(separator: ":")[0])) - Int64(Date().timeIntervalSince1970)
    }
    try await TestServer.run({ configuration in
      configuration.iceServers.urls = ["stun:a.example", "turn:b.example"]
      configuration.iceServers.credentials = .shared(Secret("north"))
    }) { server in
      try await server.makeMeeting("board", .locked)
      let early = try lifetime(try await server.discover("board").iceServers)
      #expect((0...600).contains(early), "\(early)")
      let (host, welcome) = try await server.host("board", "Ann")
      let whole = Int64(12 * 3_600 - 60)...Int64(12 * 3_600)
      let inside = try lifetime(welcome.iceServers)
      #expect(whole.contains(inside))
      // A person in the lobby gets none, also when they are sent away.
      let (ben, answer) = try await server.knock("board", "Ben")
      guard case .waiting = answer else { throw Unexpected(answer) }
      try host.send(.deny(.all))
      while let text = try await ben.text() { #expect(!text.contains("turn:b.example")) }
      let (cem, other) = try await server.knock("board", "Cem")
      guard case .waiting = other else { throw Unexpected(other) }
      try host.send(.admit(.all))
      let admitted = try lifetime(try await cem.welcome().iceServers)
      #expect(whole.contains(admitted))
      await cem.close()
      await host.close()
    }
    // An account for everybody is the same inside.
    try await TestServer.run({ configuration in
      configuration.iceServers.urls = ["turn:b.example"]
      configuration.iceServers.credentials = .fixed(username: "u", password: Secret("p"))
    }) { server in
      let (ann, welcome) = try await server.join("board", "Ann")
      #expect(welcome.iceServers == nil)
      await ann.close()
    }
  }
}
