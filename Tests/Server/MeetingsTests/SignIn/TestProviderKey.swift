import Basics
import CJOSE
import Foundation

@testable import Meetings

/// A key pair of a provider, made in the test: signs anything that it is given, good or bad.
final class TestProviderKey {
  let id: String
  let algorithm: CompactJWS.Algorithm
  private let key: OpaquePointer

  init(_ id: String, _ algorithm: CompactJWS.Algorithm = .rs256) {
    self.id = id
    self.algorithm = algorithm
    var error = cjose_err()
    let exponent: [UInt8] = [1, 0, 1]
    key =
      algorithm == .es256
      ? cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, &error)
      : cjose_jwk_create_RSA_random(2_048, exponent, exponent.count, &error)
  }

  deinit { cjose_jwk_release(key) }

  /// The public key as a member of a JWK Set.
  func member(_ more: String = "") -> String {
    var error = cjose_err()
    let text = cjose_jwk_to_json(key, false, &error)
    defer { free(text) }
    let json = text.map { String(cString: $0) } ?? "{}"
    return "{\"kid\":\"\(id)\"\(more)," + json.dropFirst()
  }

  /// The set of this key alone.
  var set: [UInt8] { Array("{\"keys\":[\(member())]}".utf8) }

  /// A token with these claims.
  func sign(_ claims: String, keyID: String?? = .none) throws -> Secret<String> {
    Secret(
      try CompactJWS.sign(Array(claims.utf8), with: key, as: algorithm, keyID: keyID ?? id))
  }
}
