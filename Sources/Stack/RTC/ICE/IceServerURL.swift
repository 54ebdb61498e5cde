import Basics

/// Why the URL of an ICE server cannot be used.
public enum IceServerURLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Longer than ``IceServerURL/maximumLength``.
  case tooLong
  /// A scheme other than `stun`, `turn` and `turns`.
  case unsupportedScheme(String)
  /// The host is neither a name nor an address.
  case malformedHost
  /// The port is not a number of 1 to 65535.
  case malformedPort
  /// Something other than `?transport=udp` or `?transport=tcp` follows.
  case malformedQuery
  /// `turns:` over UDP would be DTLS, which is not supported.
  case unsupportedTransport
  /// A TURN URL without user name and password.
  case missingCredentials
  /// A user name of more than ``IceServer/maximumUsername`` bytes.
  case usernameTooLong
  /// More URLs than ``IceServer/maximumURLs``.
  case tooMany

  public var description: String {
    switch self {
    case .tooLong: "The URL is longer than \(IceServerURL.maximumLength) bytes."
    case .unsupportedScheme(let scheme): "The scheme '\(scheme)' is not one of stun, turn and turns."
    case .malformedHost: "A host name, an IPv4 address or an IPv6 address in brackets is expected after the scheme."
    case .malformedPort: "The port must be a number from 1 to 65535."
    case .malformedQuery: "Only ?transport=udp or ?transport=tcp may follow, and only after turn: and turns:."
    case .unsupportedTransport: "turns: works over TCP only; TURN over DTLS is not supported."
    case .missingCredentials: "A TURN server needs a user name and a credential."
    case .usernameTooLong: "A user name may have at most \(IceServer.maximumUsername) bytes."
    case .tooMany: "At most \(IceServer.maximumURLs) URLs are used."
    }
  }
}

/// The URL of a STUN server (RFC 7064) or a TURN server (RFC 7065), read.
public struct IceServerURL: Hashable, Sendable {
  /// The longest URL accepted.
  public static let maximumLength = 512

  /// The protocol of the server: STUN or TURN.
  public enum Service: Hashable, Sendable {
    /// The address it sees (RFC 8489).
    case stun
    /// An address of its own that it relays for (RFC 8656).
    case turn
  }

  /// How the server is reached.
  public enum Transport: Hashable, Sendable {
    case udp
    case tcp
    /// A stream in TLS.
    case tls
  }

  public let service: Service
  /// UDP, TCP or TLS.
  public let transport: Transport
  public let host: IceCandidate.Host
  /// The port; 3478, or 5349 for `turns`, where the URL has none.
  public let port: UInt16

  /// Reads a URL: `stun:host[:port]`, `turn:host[:port][?transport=udp|tcp]`, `turns:host[:port][?transport=tcp]`.
  public init(parsing text: some StringProtocol) throws(IceServerURLError) {
    guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
    guard let colon = text.firstIndex(of: ":") else { throw .unsupportedScheme("") }
    let scheme = text[..<colon].lowercased()
    guard ["stun", "turn", "turns"].contains(scheme) else {
      throw .unsupportedScheme(String(scheme.prefix(32)))
    }
    service = scheme == "stun" ? .stun : .turn
    var rest = text[text.index(after: colon)...]
    var query: Substring?
    if let mark = rest.firstIndex(of: "?") {
      query = Substring(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    switch (scheme, query?.lowercased()) {
    case ("stun", nil), ("turn", nil), ("turn", "transport=udp"): transport = .udp
    case ("turn", "transport=tcp"): transport = .tcp
    case ("turns", nil), ("turns", "transport=tcp"): transport = .tls
    case ("turns", "transport=udp"): throw .unsupportedTransport
    default: throw .malformedQuery
    }

    var portText: Substring?
    if rest.first == "[" {
      guard let close = rest.firstIndex(of: "]"), let ip = IPAddress(rest[rest.index(after: rest.startIndex)..<close])
      else { throw .malformedHost }
      host = .ip(ip)
      let tail = rest[rest.index(after: close)...]
      if !tail.isEmpty {
        guard tail.first == ":" else { throw .malformedHost }
        portText = Substring(tail.dropFirst())
      }
    } else {
      var name = Substring(rest)
      if let separator = name.firstIndex(of: ":") {
        portText = name[name.index(after: separator)...]
        name = name[..<separator]
      }
      guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameCharacter) else {
        throw .malformedHost
      }
      host = IPAddress(name).map { .ip($0) } ?? .name(String(name))
    }
    if let portText {
      guard (1...5).contains(portText.utf8.count), portText.utf8.allSatisfy({ (48...57).contains($0) }),
        let number = UInt16(portText), number > 0
      else { throw .malformedPort }
      port = number
    } else {
      port = scheme == "turns" ? 5_349 : 3_478
    }
  }

  /// The URL in its usual spelling.
  public var text: String {
    let scheme = service == .stun ? "stun" : transport == .tls ? "turns" : "turn"
    let hostText =
      switch host {
      case .ip(let ip): ip.isIPv4 ? ip.text : "[\(ip.text)]"
      case .name(let name): name
      }
    return "\(scheme):\(hostText):\(port)"
      + (service == .stun ? "" : transport == .udp ? "?transport=udp" : "?transport=tcp")
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
