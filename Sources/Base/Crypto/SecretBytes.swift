internal import COpenSSL

/// Secret bytes: they print as `<redacted>`, compare in constant time, and are overwritten when their last copy goes
/// away.
///
/// ```swift
/// let key = try SecretBytes.random(32)
/// let code = try HMAC.code(of: message.span, key: key.bytes, using: .sha256)
/// ```
public struct SecretBytes: Sendable {
  private let storage: Storage

  /// Copies `bytes`, which stay where they are.
  public init(_ bytes: Span<UInt8>) {
    storage = Storage(count: bytes.count)
    for index in bytes.indices { unsafe storage.base[index] = bytes[index] }
  }

  /// Moves bytes out of an array, which is overwritten and empty afterwards.
  ///
  /// Copies of the array that were made before stay as they are.
  public init(wiping bytes: inout [UInt8]) {
    self.init(bytes.span)
    // OpenSSL writes within the array's count.
    unsafe OPENSSL_cleanse(&bytes, bytes.count)
    bytes = []
  }

  /// `count` bytes that `fill` writes; false means that it failed. Its memory is zero before.
  @unsafe
  init(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Bool) throws(CryptoError) {
    storage = Storage(count: count)
    guard unsafe fill(storage.base) else { throw .clearing(.failed) }
  }

  /// `count` bytes from the system's generator.
  public static func random(_ count: Int) throws(CryptoError) -> SecretBytes {
    guard let length = Int32(exactly: count), length >= 0 else { throw .tooLong }
    // The memory has `count` bytes.
    return try unsafe SecretBytes(count: count) { unsafe RAND_priv_bytes($0, length) == 1 }
  }

  /// The number of bytes.
  public var count: Int { storage.count }

  /// The bytes, for the code that needs them.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // The memory lives as long as `self`, is never written after `init`, and holds `count` bytes.
      unsafe _overrideLifetime(Span(_unsafeStart: UnsafePointer(storage.base), count: storage.count), borrowing: self)
    }
  }

  /// A copy as an array, which nobody wipes: for what is stored or sent in the end.
  public func unprotectedCopy() -> [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    let bytes = self.bytes
    for index in bytes.indices { copy.append(bytes[index]) }
    return copy
  }

  /// A copy of the bytes of `range`.
  ///
  /// - Precondition: the range lies within ``count``.
  public func extracting(_ range: Range<Int>) -> SecretBytes { SecretBytes(bytes.extracting(range)) }

  /// The memory of one secret.
  ///
  /// Safety: `base` is allocated by `init` and freed by `deinit`; it is written only by `SecretBytes`'s initializers,
  /// before anything else sees it, so reading it from several threads isn't a race.
  @safe
  private final class Storage: @unchecked Sendable {
    let count: Int
    let base: UnsafeMutablePointer<UInt8>

    init(count: Int) {
      precondition(count >= 0)
      self.count = count
      unsafe base = .allocate(capacity: max(count, 1))
      unsafe base.initialize(repeating: 0, count: max(count, 1))
    }

    deinit {
      // A plain loop over memory that is freed next would be optimised away.
      unsafe OPENSSL_cleanse(base, count)
      unsafe base.deallocate()
    }
  }
}

extension SecretBytes: Equatable {
  /// Takes the same time wherever the first difference is.
  public static func == (a: SecretBytes, b: SecretBytes) -> Bool { ConstantTime.areEqual(a.bytes, b.bytes) }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
