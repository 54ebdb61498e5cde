import Crypto
import FoundationEssentials

/// A token once its signature is proved: its tenant, and exactly what was signed.
struct TokenProof {
  /// The tenant whose key proved it.
  var tenant: Tenant
  /// The bytes that were signed. Not the text that came: that can be spelt in more than one way.
  var payload: [UInt8]
  /// The host name under which the client reached the server, empty when it has none; nil where a token is only looked
  /// at.
  var host: String?

  /// Whether one of `names` means this server or tenant, or is among `others`. For a token that is only inspected, the
  /// server's host name isn't known, so every name may.
  func isMeant(_ names: [String], or others: [String]) -> Bool {
    guard let host else { return true }
    let own = Set(([tenant.apiKey, tenant.name, tenant.id.rawValue, host] + others).map { $0.lowercased() })
    return names.contains { !$0.isEmpty && (own.contains($0.lowercased()) || isOwnAddress($0)) }
  }

  /// Whether `name` is an address of this server, such as `https://meet.example:8443/` or `meet.example.`; issuers
  /// write any of them.
  func isOwnAddress(_ name: String) -> Bool {
    guard let host, !host.isEmpty else { return false }
    guard var found = (WebOrigin(name) ?? WebOrigin("https://" + name))?.host else { return false }
    if found.hasSuffix(".") { found.removeLast() }
    return found == host.lowercased()
  }

  /// The claims of the payload.
  func claims<Claims: Decodable>(_ type: Claims.Type) throws(TokenProblem) -> Claims {
    if let problem = TokenText.problem(in: payload) { throw .claims(problem) }
    do {
      return try JSONDecoder().decode(type, from: Data(payload))
    } catch DecodingError.keyNotFound(let key, _) {
      // A token that never ends, or opens nothing in particular, does not exist.
      throw .claims("\(key.stringValue.prefix(40)) is missing")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context)
    {
      throw .claims("\((context.codingPath.last?.stringValue ?? "a claim").prefix(40)) is not as expected")
    } catch {
      throw .claims("the claims cannot be read")
    }
  }

  /// The token's name: its `jti`, or a digest of what was signed where that is absent or empty.
  func id(_ jti: String?) throws(TokenProblem) -> TokenID {
    guard let jti, !jti.isEmpty else {
      guard let digest = try? Digest.sha256(payload) else { throw .claims("jti is missing") }
      let digits = digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return TokenID(rawValue: "h_" + digits.joined())
    }
    guard (1...128).contains(jti.utf8.count) else { throw .claims("jti is expected to have 1 to 128 bytes") }
    return TokenID(rawValue: jti)
  }

  /// The holder that a claim names; an empty one names nobody.
  func user(_ claim: String?) throws(TokenProblem) -> String? {
    guard let claim, !claim.isEmpty else { return nil }
    guard claim.utf8.count <= 256 else { throw .claims("the user's id is expected to have at most 256 bytes") }
    return claim
  }

  /// The room that a claim names; `*` is every room.
  static func target(_ name: String) throws(TokenProblem) -> MeetingTarget {
    if name == "*" { return .anyRoom }
    do throws(RoomNameError) {
      return .room(try RoomName(name))
    } catch {
      throw .claims("room is no room name")
    }
  }
}

/// A time of a JWT (RFC 7519 section 2): seconds since 1970, with or without a fraction.
struct NumericDate: Codable {
  let date: Date

  init(_ date: Date) { self.date = date }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let seconds = try container.decode(Double.self)
    guard (-1e11...1e11).contains(seconds) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time")
    }
    date = Date(timeIntervalSince1970: seconds)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Int64(date.timeIntervalSince1970))
  }
}

/// For whom a JWT is: one name or several (RFC 7519 section 4.1.3).
struct Audience: Codable {
  let names: [String]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let one = try? container.decode(String.self) {
      names = [one]
    } else {
      names = try container.decode([String].self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(names)
  }
}
