import Crypto
import FoundationEssentials

/// OpenTok's older token: `T1==` and, as Base64, `partner_id=<API key>&sig=<HMAC-SHA1 in hex>:<form fields>`.
struct OpenTokT1 {
  static let prefix = "T1=="

  /// The API key that it names, unproved.
  let apiKey: String
  private let signature: [UInt8]
  /// The signed bytes as they came: the server SDKs order and escape them differently.
  let payload: [UInt8]

  /// Takes a token apart; nil when it has another form.
  init?(_ text: some StringProtocol) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    var base = String(text.dropFirst(Self.prefix.count))
    while base.utf8.count % 4 != 0 { base += "=" }
    guard let data = Data(base64Encoded: base), let colon = data.firstIndex(of: UInt8(ascii: ":")),
      let head = String(validating: data[..<colon], as: UTF8.self), let fields = try? Self.fields(head)
    else { return nil }
    guard let key = fields["partner_id"], let signature = fields["sig"], signature.utf8.count == 40 else { return nil }
    apiKey = key
    self.signature = Array(signature.lowercased().utf8)
    payload = [UInt8](data[data.index(after: colon)...])
  }

  /// Whether the signature is that of `secret`; takes the same time wherever it differs.
  func isSigned(with secret: String) -> Bool {
    let key = Array(secret.utf8)
    guard let code = try? HMAC.code(of: payload.span, key: key.span, using: .sha1) else { return false }
    let digits = Array("0123456789abcdef".utf8)
    let expected = code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return ConstantTime.areEqual(expected.span, signature.span)
  }

  func claims() throws(TokenProblem) -> OpenTokClaims {
    guard let text = String(validating: payload, as: UTF8.self) else { throw .claims("the fields are not UTF-8") }
    let fields = try Self.fields(text)
    guard let session = fields["session_id"], !session.isEmpty else { throw .claims("session_id is missing") }
    guard let expires = try Self.time("expire_time", fields) else { throw .claims("expire_time is missing") }
    return OpenTokClaims(
      session: session, role: fields["role"].flatMap { $0.isEmpty ? nil : $0 }, scope: fields["scope"],
      connectionData: fields["connection_data"].flatMap { $0.isEmpty ? nil : $0 },
      layoutClasses: fields["initial_layout_class_list"], jti: nil,
      created: try Self.time("create_time", fields), expires: expires)
  }

  private static func time(_ name: String, _ fields: [String: String]) throws(TokenProblem) -> Date? {
    guard let text = fields[name], !text.isEmpty else { return nil }
    guard let seconds = Double(text), seconds.isFinite, (0...1e11).contains(seconds) else {
      throw .claims("\(name) is no time")
    }
    return Date(timeIntervalSince1970: seconds)
  }

  /// The fields of a form (`application/x-www-form-urlencoded`); none may be there twice.
  private static func fields(_ text: String) throws(TokenProblem) -> [String: String] {
    var fields: [String: String] = [:]
    for part in text.split(separator: "&").prefix(32) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(pair[0])
      guard fields[name] == nil else { throw .claims("\(name.prefix(40)) is there twice") }
      fields[name] = pair.count == 2 ? decoded(pair[1]) : ""
    }
    return fields
  }

  /// Resolves `%41`, and `+` for a blank; a `%` that starts no valid pair stands for itself.
  private static func decoded(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
        let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
      {
        out.append(UInt8(truncatingIfNeeded: high << 4 | low))
        index += 3
      } else {
        out.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
        index += 1
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
