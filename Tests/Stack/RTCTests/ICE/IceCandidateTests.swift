import Basics
import RTC
import TestSeeds
import Testing

@Suite("ICE candidates", .tellsSeeds)
struct IceCandidateTests {
  @Test("candidates as browsers write them read and print the same, RFC 8839 section 5.1")
  func roundTrip() throws {
    let lines = [
      "candidate:1467250027 1 udp 2122260223 192.168.0.196 46243 typ host",
      "candidate:435653019 1 tcp 1845501695 192.168.0.196 0 typ srflx raddr 10.0.0.1 rport 9 tcptype passive",
      "candidate:1 1 udp 2130706431 2001:db8::1 5000 typ host",
      "candidate:2 1 tcp 1518280447 203.0.113.4 9 typ host tcptype active",
      "candidate:3 2 udp 41885439 198.51.100.1 3478 typ relay raddr 203.0.113.4 rport 4000",
    ]
    for line in lines {
      #expect(try IceCandidate(parsing: line).attributeValue == line)
      #expect(try IceCandidate(parsing: "a=" + line) == IceCandidate(parsing: line))
      #expect(try IceCandidate(parsing: line.dropFirst(10)) == IceCandidate(parsing: line))
    }
  }

  @Test("unknown extensions are skipped")
  func extensions() throws {
    let candidate = try IceCandidate(
      parsing: "candidate:842163049 1 UDP 1677729535 203.0.113.9 40678 typ srflx raddr 0.0.0.0 rport 0 "
        + "generation 0 ufrag Ab+/ network-id 1 network-cost 10 odd")
    #expect(candidate.kind == .serverReflexive)
    #expect(candidate.transport == .udp)
    #expect(candidate.isUsable)
  }

  @Test("a host name is a candidate that cannot be used, not an error")
  func hostNames() throws {
    let name = "4e0c3b9d-8b7c-4c8e-9d0e-1b2c3d4e5f60.local"
    let candidate = try IceCandidate(parsing: "candidate:1 1 udp 2113937151 \(name) 51472 typ host")
    #expect(candidate.host == .name(name))
    #expect(candidate.isUsable == false)
    #expect(candidate.transportAddress == nil)
    #expect(candidate.attributeValue.contains(name))
  }

  @Test("active TCP, port 0 and unspecified addresses are unusable (RFC 6544 4.5)")
  func unusable() throws {
    for line in [
      "1 1 tcp 1 192.0.2.1 9 typ host tcptype active", "1 1 udp 1 192.0.2.1 0 typ host",
      "1 1 udp 1 0.0.0.0 5 typ host", "1 1 tcp 1 192.0.2.1 5 typ host tcptype so",
    ] {
      #expect(try IceCandidate(parsing: line).isUsable == false, "\(line)")
    }
  }

  @Test(
    "malformed candidates are typed errors",
    arguments: [
      ("", IceCandidateError.missing(field: "foundation")),
      ("1", .missing(field: "component")),
      ("1 0 udp 1 192.0.2.1 5 typ host", .malformed(field: "component")),
      ("1 257 udp 1 192.0.2.1 5 typ host", .malformed(field: "component")),
      ("1 +1 udp 1 192.0.2.1 5 typ host", .malformed(field: "component")),
      ("1 1 sctp 1 192.0.2.1 5 typ host", .unsupportedTransport),
      ("1 1 udp 4294967296 192.0.2.1 5 typ host", .malformed(field: "priority")),
      ("1 1 udp 0 192.0.2.1 5 typ host", .malformed(field: "priority")),
      ("1 1 udp 1 192.0.2.1 65536 typ host", .malformed(field: "port")),
      ("1 1 udp 1 <script> 5 typ host", .malformed(field: "connection-address")),
      ("1 1 udp 1 192.0.2.1 5 host", .malformed(field: "typ")),
      ("1 1 udp 1 192.0.2.1 5 typ", .missing(field: "type")),
      ("1 1 udp 1 192.0.2.1 5 typ other", .unknownType),
      ("1 1 tcp 1 192.0.2.1 5 typ host", .missing(field: "tcptype")),
      ("1 1 tcp 1 192.0.2.1 5 typ host tcptype odd", .malformed(field: "tcptype")),
      ("é 1 udp 1 192.0.2.1 5 typ host", .malformed(field: "foundation")),
      (String(repeating: "1", count: 33) + " 1 udp 1 192.0.2.1 5 typ host", .malformed(field: "foundation")),
      (String(repeating: "1", count: 1_100), .tooLong),
    ])
  func malformed(line: String, expected: IceCandidateError) {
    #expect(throws: expected) { try IceCandidate(parsing: line) }
  }

  @Test("UDP is preferred, and priorities follow the formula (RFC 8445 5.1.2.1)")
  func priorities() throws {
    let address = TransportAddress(ip: IPAddress(v4: 0xC000_0201), port: 5_000)
    let udp = IceCandidate.host(address, transport: .udp)
    let tcp = IceCandidate.host(address, transport: .tcp)
    #expect(udp.priority == 126 << 24 | 65_535 << 8 | 255)
    #expect(tcp.priority == 90 << 24 | (4 << 13 | 8_191) << 8 | 255)
    #expect(udp.foundation != tcp.foundation)
    #expect(try IceCandidate(parsing: tcp.attributeValue) == tcp)
    #expect(tcp.tcpType == .passive)
  }

  @Test("10,000 damaged candidates do not crash, and what reads prints as the same")
  func mutated() {
    var random = SeededRandom(seed: TestSeed.of(8_839))
    let line = Array("candidate:3 1 tcp 41885439 198.51.100.1 3478 typ relay raddr 2001:db8::1 rport 4 tcptype so".utf8)
    for _ in 0..<10_000 {
      let text = String(decoding: random.mutate(line), as: UTF8.self)
      guard let candidate = try? IceCandidate(parsing: text) else { continue }
      let again = try? IceCandidate(parsing: candidate.attributeValue)
      if again != candidate { Issue.record("prints as something else: \(text)") }
    }
  }

  @Test("credentials outside the grammar are refused, RFC 8839 section 5.4")
  func credentials() {
    let password = String(repeating: "p", count: 22)
    #expect(IceCredentials(ufrag: "abcd", password: password) != nil)
    #expect(IceCredentials(ufrag: "abc", password: password) == nil)
    #expect(IceCredentials(ufrag: "ab:d", password: password) == nil)
    #expect(IceCredentials(ufrag: "abcd", password: String(password.dropLast())) == nil)
    #expect(IceCredentials(ufrag: String(repeating: "u", count: 257), password: password) == nil)
    let fresh = IceCredentials.random()
    #expect(fresh != IceCredentials.random())
    #expect(IceCredentials(ufrag: fresh.ufrag, password: fresh.password.value) == fresh)
    #expect("\(fresh)".contains(fresh.password.value) == false)
  }
}
