import Basics
import Crypto

/// The signature of a posted event: HMAC-SHA256 (RFC 2104) with the webhook's secret over the time and the body.
enum WebhookSignature {
  static let header = "Parley-Signature"

  /// The header's value: `t=<seconds since 1970>,v1=<HMAC in hexadecimal digits>` over `<seconds>.<body>`.
  static func value(body: [UInt8], seconds: Int, secret: Secret<String>) -> String? {
    let key = Array(secret.value.utf8)
    let signed = Array("\(seconds).".utf8) + body
    guard let code = try? HMAC.code(of: signed.span, key: key.span, using: .sha256) else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    let text = String(decoding: code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    return "t=\(seconds),v1=\(text)"
  }
}
