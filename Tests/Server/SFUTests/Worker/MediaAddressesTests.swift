import Basics
import Testing

@testable import SFU
@testable import Transport

@Suite("The addresses that clients are told") struct MediaAddressesTests {
  private func ip(_ text: String) -> IPAddress { IPAddress(text) ?? IPAddress(v4: 0) }
  private func ips(_ texts: String...) -> [IPAddress] { texts.map(ip) }

  private func interface(_ name: String, _ addresses: String..., pointToPoint: Bool = false) -> NetworkInterface {
    NetworkInterface(
      name: name, index: 1, isLoopback: name == "lo", isPointToPoint: pointToPoint, addresses: addresses.map(ip))
  }

  private var loopback: NetworkInterface { interface("lo", "127.0.0.1", "::1") }

  private func ranked(
    _ policy: MediaAddressPolicy, _ interfaces: [NetworkInterface], routed: [IPAddress] = []
  ) -> [IPAddress] {
    policy.addresses(of: interfaces + [loopback], routed: routed).ranked
  }

  @Test("every machine address is announced, wherever pages listen, loopback as the last")
  func machine() {
    let wired = interface("eth0", "192.168.1.5", "2a00::5")
    #expect(ranked(.init(), [wired]) == ips("2a00::5", "192.168.1.5"))
    #expect(ranked(.init(), []) == ips("127.0.0.1", "::1"))
    #expect(ranked(.init(published: ips("203.0.113.7")), []) == ips("203.0.113.7"))
    #expect(ranked(.init(hosts: ips("127.0.0.1")), [wired]) == ips("127.0.0.1"))
  }

  @Test("public addresses come first, then real interfaces', tunnels and bridges last")
  func order() {
    let interfaces = [
      interface("docker0", "172.17.0.1"), interface("tun0", "203.0.113.99", pointToPoint: true),
      interface("eth0", "10.0.0.5", "fd00::5"), interface("eth1", "198.51.100.4"), interface("bad", "169.254.3.4"),
    ]
    #expect(
      ranked(.init(published: ips("203.0.113.7", "10.0.0.5")), interfaces, routed: ips("fd00::5"))
        == ips(
          "203.0.113.7", "10.0.0.5", "fd00::5", "198.51.100.4", "172.17.0.1", "203.0.113.99", "169.254.3.4"))
  }

  @Test("inner addresses are left out on request, but not those that the operator names")
  func inner() {
    let interfaces = [interface("eth0", "10.0.0.5", "fd00::5", "2a00::5"), interface("docker0", "172.17.0.1")]
    var policy = MediaAddressPolicy(published: ips("100.64.0.9"), offersPrivate: false)
    #expect(ranked(policy, interfaces) == ips("100.64.0.9", "2a00::5"))
    policy = MediaAddressPolicy(offersPrivate: false)
    #expect(ranked(policy, [interface("eth0", "10.0.0.5")]) == [])
  }

  @Test("media on some addresses reports those, and a wildcard all of its family")
  func hosts() {
    let wired = interface("eth0", "192.168.1.5", "192.168.1.6", "2a00::5")
    #expect(ranked(.init(hosts: ips("192.168.1.6")), [wired]) == ips("192.168.1.6"))
    #expect(ranked(.init(hosts: ips("0.0.0.0")), [wired]) == ips("192.168.1.5", "192.168.1.6"))
    #expect(
      ranked(.init(hosts: ips("192.168.1.6"), published: ips("203.0.113.7")), [wired])
        == ips("203.0.113.7", "192.168.1.6"))
  }

  @Test("with nineteen bridges the reached address and both real ones are announced")
  func bridges() {
    var interfaces = (0..<19).map { interface("br-\($0)", "172.\(18 + $0).0.1", "fd00:\($0)::1") }
    interfaces.append(interface("eth0", "192.168.1.5", "fd77::5"))
    let addresses = MediaAddressPolicy().addresses(
      of: interfaces + [loopback], routed: ips("192.168.1.5", "fd77::5"))
    #expect(addresses.ranked.count == 40)
    #expect(addresses.told(reached: nil).prefix(2) == ips("192.168.1.5", "fd77::5")[...])
    #expect(addresses.told(reached: nil).count == 16 && addresses.leftOut.count == 24)
    // Both families in turns, whichever comes first.
    let six = addresses.told(reached: ip("fd77::5"))
    #expect(six.prefix(2) == ips("fd77::5", "192.168.1.5")[...] && six.count == 16)
    #expect(six.enumerated().allSatisfy { $0.element.isIPv4 == ($0.offset % 2 == 1) })
    // One that would be cut off comes first for who has reached it.
    let last = addresses.told(reached: ip("172.36.0.1"))
    #expect(last.prefix(2) == ips("172.36.0.1", "fd77::5")[...] && last.contains(ip("192.168.1.5")))
    #expect(Set(last).count == 16)
    // An address that isn't ours, as that of a proxy's connection, changes nothing.
    #expect(addresses.told(reached: ip("127.0.0.1")) == addresses.told(reached: nil))
  }

  @Test("addresses of a single family may fill the whole limit")
  func oneFamily() {
    let addresses = MediaAddresses(ranked: (0..<20).map { ip("10.0.0.\($0)") })
    #expect(addresses.told(reached: nil) == Array(addresses.ranked.prefix(16)))
    #expect(addresses.told(reached: ip("10.0.0.19")).prefix(2) == ips("10.0.0.19", "10.0.0.0")[...])
    #expect(MediaAddresses(ranked: []).told(reached: ip("10.0.0.1")) == [])
  }
}
