internal import Basics
internal import COpenSSL
internal import Glibc

/// A certificate chain and its private key, as PEM files.
public struct TLSIdentity: Sendable, Equatable {
  /// The PEM file with the certificate, leaf first.
  public var certificatePath: String
  /// The PEM file with its private key.
  public var keyPath: String

  /// An identity in files; ``check()`` says whether they fit.
  public init(certificatePath: String, keyPath: String) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }

  /// Reads both files and checks that they are a certificate and its key, with an error that says which is not.
  public func check() throws(TransportError) { _ = try load() }

  /// The present content of the files, read once; as ``check()``.
  public func load() throws(TransportError) -> TLSCertificate { try TLSCertificate(self) }

  /// Seconds before its end at which a self-made certificate is renewed.
  public static let renewal: Int64 = 30 * 86_400

  /// A self-made certificate (ECDSA P-256) for `hosts`, names and IP addresses, kept in `directory` as
  /// `tls-certificate.pem` and `tls-key.pem`. An existing one is used again while it is valid for a month more and
  /// names every host, so that a browser's exception lasts.
  public static func selfSigned(
    hosts: [String], directory: String, now: Int64? = nil
  ) throws(TransportError) -> TLSIdentity {
    let now = now ?? Int64(time(nil))
    let identity = selfSigned(in: directory)
    if identity.covers(hosts, now: now) { return identity }
    try identity.make(hosts, now: now)
    return identity
  }

  /// The files of the self-made certificate in a folder, whether they are there or not.
  public static func selfSigned(in directory: String) -> TLSIdentity {
    TLSIdentity(certificatePath: directory + "/tls-certificate.pem", keyPath: directory + "/tls-key.pem")
  }

  /// Whether the files are there, fit, last and name every host.
  private func covers(_ hosts: [String], now: Int64) -> Bool {
    let certificate: TLSCertificate
    do throws(TransportError) { certificate = try load() } catch { return false }
    return certificate.ends > now + Self.renewal
      && hosts.allSatisfy { certificate.names($0, isAddress: IPAddress($0) != nil) }
  }

  private func make(_ hosts: [String], now: Int64) throws(TransportError) {
    let failure = TransportError.badCertificate("OpenSSL could not make a self-signed one.")
    // As in `check`; the names are plain text without the separators of the extension's syntax.
    guard let key = unsafe EVP_PKEY_Q_keygen_P256(), let certificate = unsafe X509_new() else { throw failure }
    defer {
      unsafe EVP_PKEY_free(key)
      unsafe X509_free(certificate)
    }
    var serial: [UInt8] = [UInt8](repeating: 0, count: 8)
    unsafe RAND_bytes(&serial, 8)
    let number = serial.reduce(Int64(0)) { $0 << 8 | Int64($1) } & Int64.max
    unsafe X509_set_version(certificate, 2)
    unsafe ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), number)
    unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(now - 86_400))
    // Browsers refuse server certificates that last longer than 398 days.
    unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(now + 390 * 86_400))
    guard let name = unsafe X509_get_subject_name(certificate) else { throw failure }
    unsafe X509_NAME_add_entry_by_txt(name, "CN", 0x1001, "Parley (self-signed)", -1, -1, 0)  // MBSTRING_ASC
    unsafe X509_set_issuer_name(certificate, name)
    unsafe X509_set_pubkey(certificate, key)
    let names = hosts.filter { !$0.isEmpty && !$0.contains(",") && !$0.contains(":") || IPAddress($0) != nil }
      .map { IPAddress($0) != nil ? "IP:\($0)" : "DNS:\($0)" }
    for (identifier, value) in [
      (NID_subject_alt_name, names.joined(separator: ",")), (NID_basic_constraints, "critical,CA:FALSE"),
      (NID_ext_key_usage, "serverAuth"),
    ] where !value.isEmpty {
      guard let item = unsafe X509V3_EXT_conf_nid(nil, nil, identifier, value) else { throw failure }
      unsafe X509_add_ext(certificate, item, -1)
      unsafe X509_EXTENSION_free(item)
    }
    guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else { throw failure }
    // The key first, readable by its owner alone. Each is written to another file and renamed, so no half file is ever
    // found.
    unsafe try write(keyPath, mode: 0o600) { unsafe PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 }
    unsafe try write(certificatePath, mode: 0o644) { unsafe PEM_write_bio_X509($0, certificate) == 1 }
    try check()
  }

  private func write(
    _ path: String, mode: mode_t, _ body: (OpaquePointer) -> Bool
  ) throws(TransportError) {
    let temporary = path + ".new"
    unsafe unlink(temporary)
    let fd = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard fd >= 0 else { throw .badCertificate("\(temporary) cannot be written: \(errorText(errno)).") }
    // The BIO closes the descriptor with itself.
    guard let out = unsafe BIO_new_fd(fd, 1) else {
      close(fd)
      throw .outOfMemory("a certificate file")
    }
    let written = unsafe body(out)
    unsafe BIO_free_all(out)
    guard written, unsafe rename(temporary, path) == 0 else {
      let code = errno
      unsafe unlink(temporary)
      throw .badCertificate("\(path) cannot be written: \(errorText(code)).")
    }
  }
}

/// A fresh P-256 key; the caller frees it.
private func EVP_PKEY_Q_keygen_P256() -> OpaquePointer? {
  // The context is freed here, the key is the caller's.
  guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
  defer { unsafe EVP_PKEY_CTX_free(context) }
  guard unsafe EVP_PKEY_keygen_init(context) == 1,
    unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1
  else { return nil }
  var key: OpaquePointer?
  guard unsafe EVP_PKEY_keygen(context, &key) == 1 else { return nil }
  return unsafe key
}
