internal import COpenSSL

/// A certificate chain with its private key in memory, as a server proves itself with them. Complete once made: what
/// becomes of its files changes nothing about it.
@safe public final class TLSCertificate: @unchecked Sendable {
  // Unchecked because: nothing changes after the initialiser, and OpenSSL counts the references of these objects
  // atomically.

  /// SHA-256 of the leaf: whether two are the same.
  public let fingerprint: [UInt8]
  /// When it begins to be valid, in seconds since 1970.
  public let begins: Int64
  /// When it ends, in seconds since 1970.
  public let ends: Int64
  // All three are made here, and freed in `deinit`.
  private let leaf: OpaquePointer
  private let chain: OpaquePointer?
  private let key: OpaquePointer

  /// The most certificates of a chain, and the most bytes of a file.
  private enum Limit {
    static let chain = 16
    static let bytes = 256 << 10
  }

  /// Reads a chain, leaf first, and its key; the error says which file is wrong, and in what.
  init(_ identity: TLSIdentity) throws(TransportError) {
    let (certificatePath, keyPath) = (identity.certificatePath, identity.keyPath)
    let certificates = unsafe try Self.read(certificatePath)
    defer { unsafe BIO_free_all(certificates) }
    let keyFile = unsafe try Self.read(keyPath)
    defer { unsafe BIO_free_all(keyFile) }
    // Objects made below are owned by a local variable until the whole is known to fit.
    guard let leaf = unsafe parley_read_certificate(certificates) else {
      throw .badCertificate("\(certificatePath) holds no PEM certificate.")
    }
    var owned = unsafe Parts(leaf: leaf)
    defer { unsafe owned.free() }
    var problem: Int32 = 0
    unsafe owned.chain = parley_read_chain(certificates, Int32(Limit.chain), &problem)
    switch problem {
    case 0: break
    case 1: throw .badCertificate("\(certificatePath) holds more than \(Limit.chain) further certificates.")
    default: throw .badCertificate("\(certificatePath) is cut short or damaged.")
    }
    var isLocked: Int32 = 0
    unsafe owned.key = parley_read_private_key(keyFile, &isLocked)
    guard let key = unsafe owned.key else {
      throw .badCertificate(
        isLocked == 1
          ? "\(keyPath) is protected by a passphrase, which a server cannot be asked for."
          : "\(keyPath) holds no PEM private key.")
    }
    guard unsafe X509_check_private_key(leaf, key) == 1 else {
      throw .badCertificate("\(keyPath) is not the key of \(certificatePath).")
    }
    // OpenSSL's own rules, such as the least size of a key: here, and not at somebody's handshake.
    guard let trial = unsafe SSL_CTX_new(TLS_server_method()) else { throw .outOfMemory("a TLS context") }
    defer { unsafe SSL_CTX_free(trial) }
    ERR_clear_error()
    guard unsafe SSL_CTX_use_cert_and_key(trial, leaf, key, owned.chain, 1) == 1 else {
      let reason = unsafe parley_error_reason(ERR_peek_last_error()).map { unsafe String(cString: $0) }
      throw .badCertificate("OpenSSL refuses \(certificatePath): \(reason ?? "no reason is given").")
    }
    var digest = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 32
    unsafe X509_digest(leaf, EVP_sha256(), &digest, &length)
    fingerprint = digest
    begins = unsafe parley_asn1_seconds(X509_get0_notBefore(leaf))
    ends = unsafe parley_asn1_seconds(X509_get0_notAfter(leaf))
    unsafe self.leaf = leaf
    unsafe self.key = key
    unsafe chain = owned.chain
    unsafe owned = Parts()
  }

  deinit {
    unsafe X509_free(leaf)
    unsafe EVP_PKEY_free(key)
    unsafe parley_certificates_free(chain)
  }

  /// Whether it names a host or an address.
  func names(_ host: String, isAddress: Bool) -> Bool {
    // The text lives during the call.
    if isAddress { return unsafe X509_check_ip_asc(leaf, host, 0) == 1 }
    return unsafe X509_check_host(leaf, host, host.utf8.count, 0, nil) == 1
  }

  /// Has a handshake go on with this certificate, whatever it had before; false when OpenSSL fails.
  func use(in session: OpaquePointer) -> Bool {
    // The session counts its own references to what it is given.
    unsafe SSL_certs_clear(session)
    return unsafe SSL_use_cert_and_key(session, leaf, key, chain, 1) == 1
  }

  // MARK: Reading

  /// The objects that the initialiser has made so far.
  @unsafe private struct Parts {
    var leaf: OpaquePointer?
    var chain: OpaquePointer?
    var key: OpaquePointer?

    func free() {
      unsafe X509_free(leaf)
      unsafe EVP_PKEY_free(key)
      unsafe parley_certificates_free(chain)
    }
  }

  /// The file's bytes as they are now: a file that is being written is read in one state only.
  private static func read(_ path: String) throws(TransportError) -> OpaquePointer {
    // The path is a C string during the call; the caller frees what is returned.
    guard let file = unsafe BIO_new_file(path, "r") else { throw .badCertificate("\(path) cannot be read.") }
    defer { unsafe BIO_free_all(file) }
    guard let memory = unsafe BIO_new(BIO_s_mem()) else { throw .outOfMemory("a certificate file") }
    var piece = [UInt8](repeating: 0, count: 16_384)
    var total = 0
    while true {
      let count = unsafe BIO_read(file, &piece, Int32(piece.count))
      if count <= 0 { break }
      total += Int(count)
      guard total <= Limit.bytes, unsafe BIO_write(memory, piece, count) == count else {
        unsafe BIO_free_all(memory)
        throw .badCertificate("\(path) is larger than \(Limit.bytes >> 10) KiB.")
      }
    }
    return unsafe memory
  }
}
