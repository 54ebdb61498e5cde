import CJOSE
import FoundationEssentials

/// The public keys with which a provider signs its ID tokens: its JWK Set (RFC 7517 section 5).
public struct ProviderKeys: Sendable {
  /// One key, with the one algorithm that it is good for.
  final class Key: @unchecked Sendable {
    // Unchecked because: cjose keeps no state in a key while it verifies; the pointer is released once, in deinit.
    private let key: OpaquePointer
    let id: String?
    let algorithm: CompactJWS.Algorithm

    fileprivate init(taking key: OpaquePointer, id: String?, algorithm: CompactJWS.Algorithm) {
      self.key = key
      self.id = id
      self.algorithm = algorithm
    }

    deinit { cjose_jwk_release(key) }

    func verify(_ signature: CompactJWS) throws(SigningKeyError) -> [UInt8] {
      try signature.verify(key, as: algorithm)
    }
  }

  /// A key of the set as it is written; only what a public key needs is looked at.
  private struct Entry: Decodable {
    var kty: String?
    var use: String?
    var alg: String?
    var kid: String?
    var n: String?
    var e: String?
    var crv: String?
    var x: String?
    var y: String?
  }

  /// Skips values that aren't objects, so that one strange key doesn't take the others along.
  private struct Lenient: Decodable {
    var entry: Entry?
    init(from decoder: any Decoder) throws { entry = try? Entry(from: decoder) }
  }

  private struct Document: Decodable { var keys: [Lenient] }

  /// The most keys that are looked at.
  public static let maximumKeys = 64

  private let keys: [Key]

  /// Reads a JWK Set; nil when it is none. Keys that are not for signing, too weak, or of a kind that is not used are
  /// left out.
  public init?(json: [UInt8]) {
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else { return nil }
    keys = document.keys.prefix(Self.maximumKeys).compactMap { $0.entry.flatMap(Self.key) }
  }

  /// How many keys can be used.
  public var count: Int { keys.count }

  private static func key(_ entry: Entry) -> Key? {
    guard entry.use == nil || entry.use == "sig", (entry.kid?.utf8.count ?? 0) <= 512 else { return nil }
    let fields: [String: String]
    let algorithm: CompactJWS.Algorithm
    switch (entry.kty, entry.n, entry.e, entry.crv, entry.x, entry.y) {
    case ("RSA", let n?, let e?, _, _, _) where n.utf8.count <= 1_400 && e.utf8.count <= 16:
      fields = ["kty": "RSA", "n": n, "e": e]
      algorithm = .rs256
    case ("EC", _, _, "P-256", let x?, let y?) where x.utf8.count <= 64 && y.utf8.count <= 64:
      fields = ["kty": "EC", "crv": "P-256", "x": x, "y": y]
      algorithm = .es256
    default: return nil
    }
    guard entry.alg == nil || entry.alg == algorithm.rawValue, let json = try? JSONEncoder().encode(fields) else {
      return nil
    }
    // Written again from the fields above, so that the library sees nothing else of what came.
    let text = String(decoding: json, as: UTF8.self)
    var error = cjose_err()
    guard let key = cjose_jwk_import(text, text.utf8.count, &error) else { return nil }
    guard algorithm == .es256 || cjose_jwk_get_keysize(key, &error) >= 2_048 else {
      cjose_jwk_release(key)
      return nil
    }
    return Key(taking: key, id: entry.kid, algorithm: algorithm)
  }

  /// The signed content, proved by one of the keys. A token that names a key is proved by that one only.
  func verify(_ signature: CompactJWS) throws(IDTokenProblem) -> [UInt8] {
    guard let algorithm = signature.algorithm, algorithm != .hs256 else { throw .algorithm }
    let fitting = keys.filter { key in
      key.algorithm == algorithm && (signature.keyID == nil || key.id == nil || key.id == signature.keyID)
    }
    guard !fitting.isEmpty else { throw .unknownKey }
    for key in fitting {
      if let payload = try? key.verify(signature) { return payload }
    }
    throw .signature
  }
}
