import Basics
import Foundation
import Meetings
import Signaling
import Testing
import Transport

@testable import MeetingServer

@Suite("Proxies whose word is taken", .serialized)
struct TrustedProxyTests {
  @Test("addresses and networks of both families are read, and what is none is told")
  func networks() throws {
    let proxies = try TrustedProxies("127.0.0.1, 10.0.0.0/8,2001:db8::/33,::1")
    for (text, isOne) in [
      ("127.0.0.1", true), ("127.0.0.2", false), ("10.255.0.1", true), ("11.0.0.1", false), ("::1", true),
      ("::2", false),
      ("2001:db8:7fff::1", true), ("2001:db8:8000::1", false), ("::ffff:10.1.2.3", true), ("::a00:1", false),
    ] {
      let address = try #require(IPAddress(text))
      #expect(proxies.contains(address) == isOne, "\(text)")
    }
    // No bits are everybody of the family.
    let all = try TrustedProxies("192.0.2.77/0")
    let (four, six) = (try #require(IPAddress("8.8.8.8")), try #require(IPAddress("2001:db8::1")))
    #expect(all.contains(four) && !all.contains(six))
    let both = try TrustedProxies("::/0")
    #expect(both.contains(four) && both.contains(six))
    for text in [
      "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "proxy.lan", "10.0.0", "10.0.0.0/8/8",
    ] {
      #expect(throws: ConfigurationError.self, "\(text)") { try TrustedProxies(text) }
    }
    let file = try ServerConfiguration.parse(
      arguments: ["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy=::1"], environment: [:])
    let listed = try TrustedProxies("10.0.0.0/8,::1")
    #expect(file.trustedProxies == listed)
    let variable = try ServerConfiguration.parse(arguments: [], environment: ["PARLEY_TRUSTED_PROXY": "::1"])
    let single = try TrustedProxies("::1")
    #expect(variable.trustedProxies == single)
  }

  @Test("threat 36: the client is whom the last named proxy saw, whatever came before")
  func client() throws {
    let proxies = try TrustedProxies("10.0.0.0/8,::1")
    let proxy = try #require(IPAddress("10.0.0.1"))
    let long = Array(repeating: "10.0.0.9", count: 2_000).joined(separator: ",")
    for (header, client) in [
      ("203.0.113.9", "203.0.113.9"), ("127.0.0.1, 203.0.113.9", "203.0.113.9"),
      ("203.0.113.9, 10.0.0.2", "203.0.113.9"),
      ("198.51.100.1, 203.0.113.9, 10.0.0.2,::1", "203.0.113.9"), ("203.0.113.9:4711", "203.0.113.9"),
      ("[2001:db8::7]:443, 10.0.0.2", "2001:db8::7"), ("2001:db8::7", "2001:db8::7"), (" 203.0.113.9\t", "203.0.113.9"),
      ("[2001:db8::7]", "2001:db8::7"), ("[2001:db8::7] , 10.0.0.2:80", "2001:db8::7"),
      ("::ffff:203.0.113.9", "203.0.113.9"), ("[::ffff:203.0.113.9]:5", "203.0.113.9"),
      ("\"203.0.113.9\"", "203.0.113.9"), ("\"[2001:db8::7]:4711\"", "2001:db8::7"),
      ("fe80::7%eth0", "fe80::7"), ("[fe80::7%2]:4711, 10.0.0.2", "fe80::7"),
      // Anything that is almost such an entry names nobody.
      ("[2001:db8::7", "10.0.0.1"), ("[2001:db8::7]443", "10.0.0.1"), ("[2001:db8::7]:x", "10.0.0.1"),
      ("203.0.113.9:", "10.0.0.1"), ("203.0.113.9:123456", "10.0.0.1"), ("203.0.113.9:80:80", "10.0.0.1"),
      ("203.0.113.9 8.8.8.8", "10.0.0.1"), ("203.0.113.9%eth0", "10.0.0.1"), ("fe80::7%", "10.0.0.1"),
      ("\"203.0.113.9", "10.0.0.1"), ("\"", "10.0.0.1"), ("[]", "10.0.0.1"), ("for=203.0.113.9", "10.0.0.1"),
      // A header that isn't an address was written by nobody who knows one.
      ("203.0.113.9, unknown", "10.0.0.1"), ("203.0.113.9, _hidden, 10.0.0.2", "10.0.0.2"), ("", "10.0.0.1"),
      ("203.0.113.9,", "10.0.0.1"), (",,,,", "10.0.0.1"), ("203.0.113.9; 10.0.0.2", "10.0.0.1"),
      // All of them are proxies: the first is as good as any. So is the last of too many.
      ("10.0.0.3, 10.0.0.2", "10.0.0.3"), (long, "10.0.0.9"), ("203.0.113.9," + long, "10.0.0.9"),
    ] {
      #expect(proxies.client(of: proxy, header).text == client, "\(header.prefix(60))")
    }
    func request(_ ip: String, _ headers: HTTPHeaders) throws -> IPAddress {
      let address = TransportAddress(ip: try #require(IPAddress(ip)), port: 1)
      return proxies.resolved(.init(method: "GET", path: "/", headers: headers, remote: address, local: address)).remote
        .ip
    }
    for (ip, headers, client) in [
      ("10.0.0.1", ["x-forwarded-for": "203.0.113.9"], "203.0.113.9"),
      ("203.0.113.1", ["x-forwarded-for": "203.0.113.9"], "203.0.113.1"), ("10.0.0.1", [:], "10.0.0.1"),
      // Clients write that, and proxies pass it on.
      ("10.0.0.1", ["forwarded": "for=\"[2001:db8::7]:4711\";proto=https"], "10.0.0.1"),
      ("10.0.0.1", ["forwarded": "for=192.0.2.1", "x-forwarded-for": "203.0.113.9"], "203.0.113.9"),
    ] as [(String, HTTPHeaders, String)] {
      let found = try request(ip, headers)
      #expect(found.text == client)
    }
  }

  /// Knocks with a wrong passcode as a proxy would for somebody, and says how it is refused.
  private func refused(_ server: TestServer, _ token: String, _ header: String?) async throws -> SignalingErrorCode {
    let headers: HTTPHeaders = header.map { ["X-Forwarded-For": $0] } ?? [:]
    let client = TestClient(try await WebSocketClient.connect(server.signal, headers: headers))
    try client.send(.join(.init(token: token, name: "Eve", offer: "", tracks: [], passcode: "wrong")))
    let code = try await client.error().code
    await client.close()
    return code
  }

  @Test(
    "threats 25 and 36: behind a named proxy wrong passcodes block only the guesser"
  )
  func passcodes() async throws {
    for isNamed in [true, false] {
      try await TestServer.run({ configuration in
        if isNamed { configuration.trustedProxies = (try? TrustedProxies("127.0.0.1,::1")) ?? .init() }
      }) { server in
        try await server.makeMeeting("board", passcode: "right-one")
        let token = try await server.discover("board").token ?? ""
        // Each time another address that the guesser made up; the proxy has seen the same.
        for guess in 0..<10 {
          let code = try await refused(server, token, "192.0.2.\(guess), 203.0.113.9")
          #expect(code == .wrongPasscode)
        }
        let blocked = try await refused(server, token, "192.0.2.99, 203.0.113.9")
        #expect(blocked == .passcodeBlocked)
        let other = try await refused(server, token, "203.0.113.10")
        #expect(other == (isNamed ? .wrongPasscode : .passcodeBlocked))
      }
    }
  }

  @Test(
    "threats 27 and 36: each client of a named proxy has its own share of requests"
  )
  func rates() async throws {
    try await TestServer.run({ configuration in
      configuration.addressRate = 1
      configuration.trustedProxies = (try? TrustedProxies("127.0.0.1,::1")) ?? .init()
    }) { server in
      /// How often one may ask before it is refused; a share of four comes back at one a second.
      func asked(_ headers: String) async throws -> Int {
        let port = server.server.port
        let request = "GET /discover/daily HTTP/1.1\r\nHost: localhost:\(port)\r\n\(headers)Connection: close\r\n\r\n"
        for count in 0..<40 {
          let answer = try #require(try await RawHTTP.send(Array(request.utf8), to: port))
          if answer.status == 429 { return count }
          #expect(answer.status == 200)
        }
        return 40
      }
      for client in ["203.0.113.9", "203.0.113.10"] {
        let count = try await asked("X-Forwarded-For: \(client)\r\n")
        #expect((4..<40).contains(count))
      }
      // As HAProxy does it: a line of its own behind the one that came.
      let count = try await asked("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 203.0.113.10\r\n")
      #expect(count < 4)
    }
  }

  @Test("behind a named proxy bans go by each client's address, never by the proxy's")
  func bans() throws {
    var configuration = ServerConfiguration(workers: 1)
    configuration.publicURL = "https://meet.example.com"
    let client = try #require(IPAddress("203.0.113.9"))
    let proxy = try #require(IPAddress("10.0.0.1"))
    #expect(AddressBans(configuration).address(client) == nil)
    configuration.trustedProxies = try TrustedProxies("10.0.0.0/8")
    #expect(AddressBans(configuration).address(client) == client)
    #expect(AddressBans(configuration).address(proxy) == nil)
    configuration.bansAddresses = false
    #expect(AddressBans(configuration).address(client) == nil)
  }
}
