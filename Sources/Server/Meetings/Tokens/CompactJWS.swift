import CJOSE
import Crypto
import Glibc

/// A compact JSON Web Signature (RFC 7515 section 7.1), taken apart by cjose. Its contents are only claims until
/// ``verify(_:as:)`` has proved them.
final class CompactJWS {
  /// The algorithms that are known; a token of any other is refused before its signature is looked at (RFC 8725 section
  /// 3.1).
  enum Algorithm: String {
    case rs256 = "RS256"
    case hs256 = "HS256"
    case es256 = "ES256"
  }

  private let signature: OpaquePointer
  /// The algorithm that the header names; nil when the server doesn't know it, or the header demands extensions.
  let algorithm: Algorithm?
  /// The header's `kid`: only good for finding the key to prove the token with.
  let keyID: String?

  /// Takes a text apart; nil when it isn't a compact JWS, or its header can be understood in two ways.
  init?(_ text: String) {
    guard let header = Base64URL.decode(text.prefix { $0 != "." }), TokenText.problem(in: header) == nil else {
      return nil
    }
    var error = cjose_err()
    guard let signature = cjose_jws_import(text, text.utf8.count, &error) else { return nil }
    guard let header = cjose_jws_get_protected(signature) else {
      cjose_jws_release(signature)
      return nil
    }
    self.signature = signature
    keyID = Self.value("kid", in: header)
    let named = Self.value("alg", in: header).flatMap(Algorithm.init)
    algorithm = Self.has("crit", in: header) ? nil : named
  }

  deinit { cjose_jws_release(signature) }

  /// The payload, unproved: only good for finding the key to prove it with.
  var claimed: [UInt8]? {
    var error = cjose_err()
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    guard cjose_jws_get_plaintext(signature, &bytes, &count, &error), let bytes else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// The payload, once the signature is proved to be `key`'s by exactly this algorithm. cjose compares in constant
  /// time.
  func verify(_ key: OpaquePointer, as algorithm: Algorithm) throws(SigningKeyError) -> [UInt8] {
    guard self.algorithm == algorithm else { throw .wrongAlgorithm }
    var error = cjose_err()
    guard cjose_jws_verify(signature, key, &error) else { throw .wrongSignature }
    guard let payload = claimed else { throw .malformed }
    return payload
  }

  /// Signs `payload` with `key` and returns the compact form.
  static func sign(
    _ payload: [UInt8], with key: OpaquePointer, as algorithm: Algorithm, keyID: String?
  ) throws(SigningKeyError) -> String {
    var error = cjose_err()
    guard let header = cjose_header_new(&error) else { throw .failed(SigningKeyError.text(error)) }
    defer { cjose_header_release(header) }
    guard cjose_header_set(header, "alg", algorithm.rawValue, &error), cjose_header_set(header, "typ", "JWT", &error),
      keyID.map({ cjose_header_set(header, "kid", $0, &error) }) ?? true,
      let signature = cjose_jws_sign(key, header, payload, payload.count, &error)
    else { throw .failed(SigningKeyError.text(error)) }
    defer { cjose_jws_release(signature) }
    var text: UnsafePointer<CChar>?
    guard cjose_jws_export(signature, &text, &error), let text else { throw .failed(SigningKeyError.text(error)) }
    return String(cString: text)
  }

  private static func value(_ name: String, in header: OpaquePointer) -> String? {
    var error = cjose_err()
    return cjose_header_get(header, name, &error).map { String(cString: $0) }
  }

  private static func has(_ name: String, in header: OpaquePointer) -> Bool {
    var error = cjose_err()
    guard let raw = cjose_header_get_raw(header, name, &error) else { return false }
    free(raw)
    return true
  }
}

/// Why a signature could not be made or proved.
public enum SigningKeyError: Error, Sendable, Equatable {
  /// The library refused: its reason.
  case failed(String)
  /// The text isn't a compact JWS.
  case malformed
  /// The header names another algorithm or key than this one, or demands extensions.
  case wrongAlgorithm
  /// The signature is not this key's.
  case wrongSignature

  static func text(_ error: cjose_err) -> String { error.message.map { String(cString: $0) } ?? "unknown" }
}
