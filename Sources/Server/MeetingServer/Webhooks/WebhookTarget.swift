import Basics
import Meetings

/// A URL to which events may be posted. People choose it, so it must not lead to anything that only this machine can
/// reach.
///
/// Allowed are `https` at public addresses, and `http` or `https` at this machine itself when its name or address says
/// so. Everything else (plain `http`, private networks) needs the host's name among those that the operator allows.
public struct WebhookTarget: Sendable {
  /// Why a URL can't be a webhook's, in a sentence.
  public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The host that the operator would have to allow; nil when the text isn't a URL at all.
    public var host: String?
    /// The problem and the expected form.
    public var description: String
  }

  /// The host's name, without brackets.
  let host: String
  private let isAllowed: Bool
  private let isLocal: Bool

  /// Checks `url`. `allowed` are the hosts that the operator allows besides; `*` allows all.
  public init(_ url: String, allowed: [String]) throws(Problem) {
    guard url.utf8.count <= Webhook.maximumURL, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let origin = WebOrigin(url), !url.contains("#"), !url.contains("\\")
    else {
      throw Problem(
        host: nil,
        description:
          "An address like https://app.example.com/hook is expected: at most \(Webhook.maximumURL) ASCII characters, "
          + "with no user name and no fragment.")
    }
    host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
    isAllowed = allowed.contains("*") || allowed.contains(host)
    let literal = IPAddress(host)
    isLocal = host == "localhost" || host.hasSuffix(".localhost") || literal?.isLoopback == true
    if isAllowed || isLocal { return }
    guard origin.scheme == "https" else {
      throw Problem(
        host: host,
        description: "Plain http is possible to this machine only. Use https, or let the operator allow the host with "
          + "--webhook-allow \(host).")
    }
    if let literal, !Self.isPublic(literal) { throw Self.isPrivate(host) }
  }

  /// Whether a connection may be made to one of the addresses that the host's name has just now: a name can be pointed
  /// anywhere.
  func accepts(_ address: IPAddress) -> Bool {
    if isAllowed { return true }
    return isLocal ? address.isLoopback : Self.isPublic(address)
  }

  private static func isPrivate(_ host: String) -> Problem {
    Problem(
      host: host,
      description:
        "\(host) is no address of the public internet. The operator can allow it with --webhook-allow \(host).")
  }

  /// Whether an address belongs to the public internet: none of the blocks that IANA keeps for special purposes.
  static func isPublic(_ address: IPAddress) -> Bool {
    if address.isIPv4 { return isPublic(v4: address.v4Bits) }
    let high = address.high
    // 2000::/3 is all that is given out; of it, 2001::/23 (Teredo and others), documentation, and 6to4 are not for us.
    guard high >> 61 == 1 else { return false }
    let first = high >> 48
    if first == 0x2002 || high >> 32 == 0x2001_0DB8 || high >> 44 == 0x3FFF_0 { return false }
    if first == 0x2001 && (high >> 32) & 0xFFFF < 0x0200 { return false }
    return true
  }

  private static func isPublic(v4 bits: UInt32) -> Bool {
    let special: [(UInt32, Int)] = [
      (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
      (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
      (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
    ]
    return !special.contains { prefix, length in (bits ^ prefix) >> UInt32(32 - length) == 0 }
  }
}
