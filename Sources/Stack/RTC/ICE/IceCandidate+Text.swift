internal import Basics

/// Why a text is not a candidate that we can use. Skip the candidate; the others of the description stay good
/// (RFC 8839 section 5.1 has receivers ignore what they do not know).
public enum IceCandidateError: Error, Hashable, Sendable {
  /// Longer than ``IceCandidate/maximumTextLength``.
  case tooLong
  /// A field is absent.
  case missing(field: String)
  /// A field is not what its grammar says.
  case malformed(field: String)
  /// Neither `udp` nor `tcp`.
  case unsupportedTransport
  /// None of the four types of RFC 8445.
  case unknownType
}

extension IceCandidateError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong: "ICE candidate longer than \(IceCandidate.maximumTextLength) bytes"
    case .missing(let field): "ICE candidate without \(field)"
    case .malformed(let field): "ICE candidate whose \(field) does not follow RFC 8839 section 5.1"
    case .unsupportedTransport: "ICE candidate with a transport other than udp and tcp"
    case .unknownType: "ICE candidate with a type other than host, srflx, prflx and relay"
    }
  }
}

extension IceCandidate {
  /// The longest candidate text accepted.
  public static let maximumTextLength = 1_024

  /// Reads `candidate:…` with or without `a=` before it, or the part after the colon (RFC 8839 section 5.1). Extensions
  /// that are not known are skipped; a host name gives a candidate that is not ``isUsable``.
  public init(parsing text: some StringProtocol) throws(IceCandidateError) {
    guard text.utf8.count <= Self.maximumTextLength else { throw .tooLong }
    var rest = Substring(text)
    for prefix in ["a=", "candidate:"] where rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
    var fields = Fields(rest: rest)

    let foundation = try fields.next("foundation")
    guard (1...32).contains(foundation.utf8.count), foundation.utf8.allSatisfy(IceCredentials.isIceCharacter)
    else {
      throw .malformed(field: "foundation")
    }
    guard let component = UInt16(digits: try fields.next("component")), (1...256).contains(component) else {
      throw .malformed(field: "component")
    }
    let transport: IceTransport
    switch try fields.next("transport").lowercased() {
    case "udp": transport = .udp
    case "tcp": transport = .tcp
    default: throw .unsupportedTransport
    }
    guard let priority = UInt32(digits: try fields.next("priority")), priority > 0 else {
      throw .malformed(field: "priority")
    }
    let address = try fields.next("connection-address")
    let host: Host
    if let ip = IPAddress(address) {
      host = .ip(ip)
    } else if address.utf8.count <= 255, address.utf8.allSatisfy(Self.isNameCharacter) {
      host = .name(String(address))
    } else {
      throw .malformed(field: "connection-address")
    }
    guard let port = UInt16(digits: try fields.next("port")) else { throw .malformed(field: "port") }
    guard try fields.next("typ") == "typ" else { throw .malformed(field: "typ") }
    guard let kind = Kind(rawValue: String(try fields.next("type"))) else { throw .unknownType }
    self.init(
      foundation: String(foundation), component: component, transport: transport, priority: priority,
      host: host, port: port, kind: kind, tcpType: nil, relatedAddress: nil)
    try readExtensions(&fields)
  }

  private mutating func readExtensions(_ fields: inout Fields) throws(IceCandidateError) {
    var relatedIP: IPAddress?
    var relatedPort: UInt16?
    while let name = fields.nextIfAny() {
      // Every extension is a pair; a name alone at the end is dropped like an unknown one.
      guard let value = fields.nextIfAny() else { break }
      switch name {
      case "raddr": relatedIP = IPAddress(value)
      case "rport": relatedPort = UInt16(digits: value)
      case "tcptype":
        guard let type = TCPType(rawValue: String(value)) else { throw .malformed(field: "tcptype") }
        tcpType = transport == .tcp ? type : nil
      default: break
      }
    }
    if let relatedIP, let relatedPort { relatedAddress = TransportAddress(ip: relatedIP, port: relatedPort) }
    // RFC 6544 section 4.5 makes tcptype mandatory for TCP.
    if transport == .tcp && tcpType == nil { throw .missing(field: "tcptype") }
  }

  /// The value of the attribute, `candidate:…` without `a=`.
  public var attributeValue: String {
    let address =
      switch host {
      case .ip(let ip): ip.text
      case .name(let name): name
      }
    var text = "candidate:\(foundation) \(component) \(transport == .udp ? "udp" : "tcp") \(priority)"
    text += " \(address) \(port) typ \(kind.rawValue)"
    if let relatedAddress { text += " raddr \(relatedAddress.ip.text) rport \(relatedAddress.port)" }
    if let tcpType { text += " tcptype \(tcpType.rawValue)" }
    return text
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Takes fields off the front, one space between any two (more are tolerated).
  private struct Fields {
    var rest: Substring

    mutating func next(_ name: String) throws(IceCandidateError) -> Substring {
      guard let field = nextIfAny() else { throw .missing(field: name) }
      return field
    }

    mutating func nextIfAny() -> Substring? {
      rest = rest.drop { $0 == " " }
      guard !rest.isEmpty else { return nil }
      let field = rest.prefix { $0 != " " }
      rest = rest.dropFirst(field.count)
      return field
    }
  }
}

extension FixedWidthInteger {
  /// A number of decimal digits only: no sign, at most ten digits, nil when it does not fit.
  fileprivate init?(digits: Substring) {
    guard (1...10).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    self.init(digits)
  }
}
