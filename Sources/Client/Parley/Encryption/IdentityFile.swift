public import Basics
import Crypto
public import Encryption
import FoundationEssentials
import Glibc

/// A person's lasting identity in a file, with the identities of others that were seen.
///
/// With a passphrase the content is sealed (AES-256-GCM under a key of scrypt). Without one only the file's mode
/// protects it, and a file that others may read is refused.
///
/// ```swift
/// let file = try IdentityFile(openingOrMaking: "ann.identity", passphrase: Secret(text))
/// options.identity = file.identity
/// options.knownIdentities = file.known
/// ```
public struct IdentityFile: Sendable {
  /// Why a file cannot be used.
  ///
  /// ```swift
  /// do { _ = try IdentityFile(openingOrMaking: "ann.identity") } catch IdentityFile.Problem.passphraseRequired {
  ///   print("What is its passphrase?")
  /// }
  /// ```
  public enum Problem: Error, Hashable, Sendable {
    /// It cannot be read or written, with the system's reason.
    case inaccessible(String)
    /// It isn't an identity file, or is one of a later version.
    case unreadable
    /// Other users of this machine can read it.
    case readableByOthers
    /// It has a passphrase, and none was given.
    case passphraseRequired
    /// The passphrase is another one, or the file was changed.
    case wrongPassphrase
    /// Another program has put another identity in its place.
    case replaced
    /// OpenSSL refused; out of memory in practice.
    case failed
  }

  private struct Form: Codable {
    /// `parley-identity-1`.
    var format: String
    var content: Content?
    var salt: String?
    var cost: Int?
    var sealed: String?
  }

  private struct Content: Codable {
    var seed: String
    var known: KnownIdentities
  }

  /// The key of a passphrase, derived once, since that takes a tenth of a second.
  private struct Sealing {
    let salt: [UInt8]
    let cost: Int
    let key: SecretBytes

    var header: [UInt8] { Array("Parley identity file 1\0\(cost)\0".utf8) + salt }
  }

  private static let format = "parley-identity-1"
  private static let maximumBytes = 1 << 20
  private static let saltLength = 16
  private static let log2Cost = 15

  /// The identity of the file's owner.
  public let identity: LastingIdentity
  /// The others that were seen; ``save()`` writes it down.
  public var known: KnownIdentities
  private let path: String
  private let sealing: Sealing?

  /// Opens the file at `path`, or makes one with a new identity.
  ///
  /// ```swift
  /// options.identity = try IdentityFile(openingOrMaking: "ann.identity").identity
  /// ```
  public init(openingOrMaking path: String, passphrase: Secret<String>? = nil) throws(Problem) {
    if let bytes = try Self.read(path) {
      self = try Self(path, bytes, passphrase)
      return
    }
    let made = try Self(making: path, passphrase)
    if try Self.write(made.encoded(made.known), to: path, replacing: false) {
      self = made
    } else if let bytes = try Self.read(path) {
      // Another program has made one in the same moment.
      self = try Self(path, bytes, passphrase)
    } else {
      throw .inaccessible(Self.reason(ENOENT))
    }
  }

  private init(making path: String, _ passphrase: Secret<String>?) throws(Problem) {
    self.path = path
    known = KnownIdentities()
    do throws(CryptoError) { identity = try LastingIdentity() } catch { throw .failed }
    sealing = try Self.sealing(passphrase)
  }

  private init(_ path: String, _ bytes: [UInt8], _ passphrase: Secret<String>?) throws(Problem) {
    self.path = path
    guard let form = try? JSONDecoder().decode(Form.self, from: Data(bytes)), form.format == Self.format else {
      throw .unreadable
    }
    let content: Content
    if let sealed = form.sealed {
      (content, sealing) = try Self.open(form, sealed, passphrase)
    } else if let plain = form.content {
      (content, sealing) = (plain, try Self.sealing(passphrase))
    } else {
      throw .unreadable
    }
    guard var seed = Base64URL.decode(content.seed),
      let identity = try? LastingIdentity(seed: SecretBytes(wiping: &seed))
    else { throw .unreadable }
    self.identity = identity
    known = content.known
    // With a passphrase the file is sealed from now on.
    if form.sealed == nil, sealing != nil { try save() }
  }

  /// The key of a new passphrase; nil without one.
  private static func sealing(_ passphrase: Secret<String>?) throws(Problem) -> Sealing? {
    guard let passphrase else { return nil }
    do throws(CryptoError) {
      return try derive(passphrase, salt: SecretBytes.random(saltLength).unprotectedCopy(), cost: log2Cost)
    } catch { throw .failed }
  }

  private static func derive(
    _ passphrase: Secret<String>, salt: [UInt8], cost: Int
  ) throws(CryptoError) -> Sealing {
    let text = Array(passphrase.value.utf8)
    let key = try Scrypt.derive(
      from: text.span, salt: salt.span, log2Cost: cost, blockSize: 8, parallelism: 1, count: 32)
    return Sealing(salt: salt, cost: cost, key: key)
  }

  private static func open(
    _ form: Form, _ sealed: String, _ passphrase: Secret<String>?
  ) throws(Problem) -> (Content, Sealing) {
    guard let passphrase else { throw .passphraseRequired }
    guard let salt = form.salt.flatMap({ Base64URL.decode($0) }), salt.count == saltLength,
      let cost = form.cost, (log2Cost - 3...log2Cost).contains(cost)
    else { throw .unreadable }
    let sealing: Sealing
    do throws(CryptoError) { sealing = try derive(passphrase, salt: salt, cost: cost) } catch { throw .failed }
    return (try open(sealed, sealing), sealing)
  }

  private static func open(_ sealed: String, _ sealing: Sealing) throws(Problem) -> Content {
    guard let bytes = Base64URL.decode(sealed), bytes.count > AEADNonce.length else { throw .unreadable }
    let opened: [UInt8]
    do throws(CryptoError) {
      opened = try AESGCM.open(
        bytes.span.extracting(AEADNonce.length..<bytes.count), key: sealing.key,
        nonce: AEADNonce(bytes.span.extracting(0..<AEADNonce.length)), authenticating: sealing.header.span)
    } catch { throw .wrongPassphrase }
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(opened)) else { throw .unreadable }
    return content
  }

  // MARK: Writing

  /// Writes the file: whole or not at all, and readable by this user alone. Another program may have written into it
  /// since: its key is never replaced, and the people whom it remembers are taken in.
  ///
  /// ```swift
  /// var file = try IdentityFile(openingOrMaking: "ann.identity")
  /// if let known = meeting.knownIdentities { file.known = known }
  /// try file.save()
  /// ```
  public func save() throws(Problem) {
    // Programs that share the file write one after the other. Some file systems have no such locks.
    let folder = Glibc.open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if folder >= 0 { Glibc.close(folder) } }
    if folder >= 0 { while flock(folder, LOCK_EX) != 0, errno == EINTR {} }
    var all = known
    if let bytes = try Self.read(path) { all.merge(try present(bytes)) }
    _ = try Self.write(encoded(all), to: path, replacing: true)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The people in the file as it is now, which must be of the same identity.
  private func present(_ bytes: [UInt8]) throws(Problem) -> KnownIdentities {
    guard let form = try? JSONDecoder().decode(Form.self, from: Data(bytes)), form.format == Self.format else {
      throw .unreadable
    }
    var content = form.content
    if let sealed = form.sealed {
      guard let sealing else { throw .passphraseRequired }
      guard form.salt == Base64URL.encode(sealing.salt), form.cost == sealing.cost else { throw .wrongPassphrase }
      content = try Self.open(sealed, sealing)
    }
    guard let content else { throw .unreadable }
    guard content.seed == Base64URL.encode(identity.seed.bytes) else { throw .replaced }
    return content.known
  }

  /// The content of the file, which can be read again: it forgets some of the others where all don't fit.
  private func encoded(_ known: KnownIdentities) throws(Problem) -> [UInt8] {
    var known = known
    while true {
      let bytes = try form(known)
      if bytes.count <= Self.maximumBytes { return bytes }
      guard known.count > 0 else { throw .failed }
      known.shrink(to: known.count / 2)
    }
  }

  private func form(_ known: KnownIdentities) throws(Problem) -> [UInt8] {
    let content = Content(seed: Base64URL.encode(identity.seed.bytes), known: known)
    var form = Form(format: Self.format)
    if let sealing {
      guard let plain = try? JSONEncoder().encode(content) else { throw .failed }
      do throws(CryptoError) {
        let nonce = try SecretBytes.random(AEADNonce.length).unprotectedCopy()
        form.sealed = Base64URL.encode(
          try nonce
            + AESGCM.seal(
              Array(plain).span, key: sealing.key, nonce: AEADNonce(nonce.span), authenticating: sealing.header.span))
      } catch { throw .failed }
      form.salt = Base64URL.encode(sealing.salt)
      form.cost = sealing.cost
    } else {
      form.content = content
    }
    guard let bytes = try? JSONEncoder().encode(form) else { throw .failed }
    return Array(bytes)
  }

  /// Nil when there is no file.
  private static func read(_ path: String) throws(Problem) -> [UInt8]? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .inaccessible(reason(errno))
    }
    defer { Glibc.close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw .inaccessible(reason(errno)) }
    guard info.st_mode & S_IFMT == S_IFREG, info.st_size <= maximumBytes else { throw .unreadable }
    guard info.st_mode & 0o077 == 0 else { throw .readableByOthers }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= maximumBytes {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw .inaccessible(reason(errno)) }
      if count == 0 { return bytes }
      bytes += piece.prefix(count)
    }
    throw .unreadable
  }

  /// Writes the file whole or not at all. False where there is one that isn't to be replaced.
  private static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws(Problem) -> Bool {
    // A name of its own, so that two programs don't write into one file, also those in containers.
    let suffix: [UInt8]
    do throws(CryptoError) { suffix = try SecretBytes.random(12).unprotectedCopy() } catch { throw .failed }
    let part = "\(path).\(Base64URL.encode(suffix)).part"
    let descriptor = Glibc.open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inaccessible(reason(errno)) }
    var rest = bytes[...]
    var failure: Int32 = 0
    while !rest.isEmpty, failure == 0 {
      let count = Glibc.write(descriptor, Array(rest), rest.count)
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
    }
    if failure == 0, fsync(descriptor) != 0 { failure = errno }
    Glibc.close(descriptor)
    guard failure == 0, replacing else {
      // A link replaces nothing, unlike a new name.
      if failure == 0, link(part, path) != 0 { failure = errno }
      unlink(part)
      if failure == EEXIST, !replacing { return false }
      guard failure == 0 else { throw .inaccessible(reason(failure)) }
      return true
    }
    guard rename(part, path) == 0 else {
      failure = errno
      unlink(part)
      throw .inaccessible(reason(failure))
    }
    return true
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
