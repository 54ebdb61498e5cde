import Basics
import Transport

/// The proxies that are trusted to report the address of a client: `--trusted-proxy`.
///
/// A proxy appends the address of its client to `X-Forwarded-For`. The part before came with the request, and anybody
/// can write anything there. So the header is read from its end while the writers are trusted proxies. The first other
/// address is the client's. The header of any other sender is ignored, and so is `Forwarded` (RFC 7239): a proxy that
/// writes the one header passes on whatever clients write into the other.
public struct TrustedProxies: Sendable, Equatable {
  /// Addresses that begin with the same bits.
  struct Network: Sendable, Equatable {
    let high: UInt64
    let low: UInt64
    /// How many bits of the IPv6 form count; an IPv4 address is the last 32 of its mapped form.
    let bits: Int

    /// Reads `ADDRESS` or `ADDRESS/BITS`; nil when it is neither.
    init?(_ text: some StringProtocol) {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let address = IPAddress(parts[0]) else { return nil }
      let most = address.isIPv4 ? 32 : 128
      var count = most
      if parts.count == 2 {
        guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
          let number = Int(parts[1]), number <= most
        else { return nil }
        count = number
      }
      bits = count + 128 - most
      let (highMask, lowMask) = Self.masks(bits)
      high = address.high & highMask
      low = address.low & lowMask
    }

    func contains(_ address: IPAddress) -> Bool {
      let (highMask, lowMask) = Self.masks(bits)
      return address.high & highMask == high && address.low & lowMask == low
    }

    private static func masks(_ bits: Int) -> (high: UInt64, low: UInt64) {
      // Shifting by more than the width gives zero.
      (~0 << UInt64(max(64 - bits, 0)), bits <= 64 ? 0 : ~0 << UInt64(128 - bits))
    }
  }

  /// Proxies before proxies that are looked at.
  static let maximumHops = 16

  private(set) var networks: [Network] = []

  /// None: nobody's header is believed.
  public init() {}

  /// Those that a text lists, with commas between them.
  init(_ text: String) throws(ConfigurationError) {
    for part in text.split(separator: ",") {
      let word = part.filter { !$0.isWhitespace }
      guard let network = Network(word) else {
        throw .wrongValue(
          option: "trusted-proxy", value: word,
          expected: "an address, or one with a number of bits, such as 127.0.0.1 or 10.0.0.0/8")
      }
      networks.append(network)
    }
  }

  /// Whether none is named.
  public var isEmpty: Bool { networks.isEmpty }

  /// Whether an address is that of such a proxy.
  func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// The request with the address of its client, as trusted proxies report it.
  func resolved(_ request: HTTPRequest) -> HTTPRequest {
    guard !networks.isEmpty, contains(request.remote.ip), let header = request.headers["x-forwarded-for"] else {
      return request
    }
    var request = request
    request.remote.ip = client(of: request.remote.ip, header)
    return request
  }

  /// The first address from the end that isn't a trusted proxy's. If a trusted proxy wrote no address, the proxy's own
  /// is all that is known.
  func client(of proxy: IPAddress, _ header: String) -> IPAddress {
    var found = proxy
    var rest = header[...]
    for _ in 0..<Self.maximumHops {
      let comma = rest.lastIndex(of: ",")
      let entry = comma.map { rest[rest.index(after: $0)...] } ?? rest
      guard let next = Self.address(entry) else { return found }
      found = next
      guard contains(next), let comma else { return found }
      rest = rest[..<comma]
    }
    return found
  }

  /// One entry: an address, also with a port, in brackets or quotes, or with a zone, as some proxies write it.
  private static func address(_ entry: Substring) -> IPAddress? {
    var entry = entry[...].trimmingPrefix(while: isBlank)
    while let last = entry.last, isBlank(last) { entry.removeLast() }
    if entry.count >= 2, entry.first == "\"", entry.last == "\"" { entry = entry.dropFirst().dropLast() }
    if entry.first == "[" {
      guard let end = entry.firstIndex(of: "]"), isPort(entry[entry.index(after: end)...]) else { return nil }
      return addressWithZone(entry[entry.index(after: entry.startIndex)..<end])
    }
    if let address = addressWithZone(entry) { return address }
    // Without brackets only an IPv4 address leaves no doubt where its port begins.
    guard let colon = entry.firstIndex(of: ":"), isPort(entry[colon...]), let address = IPAddress(entry[..<colon]),
      address.isIPv4
    else { return nil }
    return address
  }

  /// The zone of a link-local address (RFC 4007 section 11) means something to the proxy alone.
  private static func addressWithZone(_ text: Substring) -> IPAddress? {
    guard let mark = text.firstIndex(of: "%") else { return IPAddress(text) }
    guard let address = IPAddress(text[..<mark]), !address.isIPv4, text.index(after: mark) < text.endIndex else {
      return nil
    }
    return address
  }

  /// Whether a text is empty or a colon with a port.
  private static func isPort(_ text: Substring) -> Bool {
    if text.isEmpty { return true }
    let digits = text.dropFirst().utf8
    return text.first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { (48...57).contains($0) }
  }

  private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
