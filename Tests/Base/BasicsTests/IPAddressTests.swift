import Basics
import Testing

@Suite("IP addresses")
struct IPAddressTests {
  @Test(
    "text round-trips in the canonical form of RFC 5952",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("::", "::"), ("::1", "::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
      ("2001:DB8::A", "2001:db8::a"), ("::ffff:10.0.0.1", "10.0.0.1"), ("fe80::1:2:3:4", "fe80::1:2:3:4"),
      ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1::", "1::"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
    ])
  func canonicalText(input: String, expected: String) throws {
    let address = try #require(IPAddress(input))
    #expect(address.text == expected)
  }

  @Test(
    "what is not an address is refused",
    arguments: [
      "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "+1.2.3.4", ":", ":::", "1::2::3", "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9", "g::", "12345::", "1:2:3:4:5:6:7::8", "::1.2.3", "fe80::1%eth0", "1.2.3.4::", "::+1",
    ])
  func refused(input: String) {
    #expect(IPAddress(input) == nil)
  }

  @Test("logs never show the host part")
  func redaction() throws {
    let address = TransportAddress(ip: try #require(IPAddress("203.0.113.77")), port: 443)
    #expect("\(address)" == "203.0.x.x:443")
    #expect(address.text == "203.0.113.77:443")
    #expect("\(Secret("hunter2"))" == "<redacted>")
  }

  @Test(
    "addresses that no other machine of the internet reaches are private",
    arguments: [
      ("10.255.0.1", true), ("11.0.0.1", false), ("172.15.0.1", false), ("172.16.0.1", true), ("172.31.9.1", true),
      ("172.32.0.1", false), ("192.168.0.1", true), ("192.169.0.1", false), ("100.63.0.1", false), ("100.64.0.1", true),
      ("100.127.0.1", true), ("100.128.0.1", false), ("127.0.0.1", true), ("169.254.1.1", true), ("8.8.8.8", false),
      ("::1", true), ("fc00::1", true), ("fdff::1", true), ("fe00::1", false), ("fe80::1", true),
      ("2001:db8::1", false),
    ])
  func privateAddresses(text: String, isPrivate: Bool) throws {
    #expect(try #require(IPAddress(text)).isPrivate == isPrivate)
  }
}
