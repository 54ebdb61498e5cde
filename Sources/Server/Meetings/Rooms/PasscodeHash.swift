public import Basics
import Crypto
import FoundationEssentials
@_spi(_Unicode) import Swift

/// The stored form of a meeting's passcode: scrypt (RFC 7914) over a random salt, by OpenSSL. The passcode itself is
/// kept nowhere.
public struct PasscodeHash: Sendable, Hashable {
  /// The form that is stored: `scrypt$14$8$1$<salt>$<hash>`, in Base64.
  public let text: String

  /// Characters (Unicode scalars, as every other endpoint counts them) that a passcode may have. Blanks around it do
  /// not count.
  public static let length = 4...64

  private static let cost = (log2: 14, blocks: 8, lanes: 1)
  private static let bytes = (salt: 16, hash: 32)

  /// Takes a stored form back.
  public init(stored text: String) { self.text = text }

  /// Hashes a passcode, which takes some 50 ms of a core and 16 MiB for that time, so that guessing is dear.
  public init(_ passcode: Secret<String>) throws(PasscodeError) {
    guard Self.length.contains(Self.normal(passcode).unicodeScalars.count) else { throw .length }
    guard let salt = try? SecureRandom.bytes(Self.bytes.salt),
      let hash = Self.derive(
        passcode, salt: salt, log2: Self.cost.log2, blocks: Self.cost.blocks, lanes: Self.cost.lanes)
    else { throw .failed }
    text =
      "scrypt$\(Self.cost.log2)$\(Self.cost.blocks)$\(Self.cost.lanes)$"
      + "\(Data(salt).base64EncodedString())$\(Data(hash.unprotectedCopy()).base64EncodedString())"
  }

  /// Whether this is the passcode. Takes as long as hashing does, and no less for one that is nearly right.
  public func matches(_ passcode: Secret<String>) -> Bool {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let log2 = Int(parts[1]), let blocks = Int(parts[2]),
      let lanes = Int(parts[3]), (10...16).contains(log2), (1...16).contains(blocks), (1...4).contains(lanes),
      let salt = Data(base64Encoded: String(parts[4])), let hash = Data(base64Encoded: String(parts[5])),
      hash.count == Self.bytes.hash, Self.normal(passcode).utf8.count <= Self.length.upperBound * 8,
      let found = Self.derive(passcode, salt: [UInt8](salt), log2: log2, blocks: blocks, lanes: lanes)
    else { return false }
    let stored = [UInt8](hash)
    return ConstantTime.areEqual(found.bytes, stored.span)
  }

  /// The same text however it was typed: without blanks around it, and with its accents in one form.
  private static func normal(_ passcode: Secret<String>) -> String {
    let text = passcode.value.unicodeScalars
    let first = text.firstIndex { !$0.properties.isWhitespace } ?? text.endIndex
    let last = text.lastIndex { !$0.properties.isWhitespace }.map { text.index(after: $0) } ?? first
    return String(text[first..<last])._nfc.reduce(into: "") { $0.unicodeScalars.append($1) }
  }

  private static func derive(
    _ passcode: Secret<String>, salt: [UInt8], log2: Int, blocks: Int, lanes: Int
  ) -> SecretBytes? {
    let text = Array(normal(passcode).utf8)
    return try? Scrypt.derive(
      from: text.span, salt: salt.span, log2Cost: log2, blockSize: blocks, parallelism: lanes, count: bytes.hash)
  }
}

/// Why a text cannot be a passcode.
public enum PasscodeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// It is too short or too long.
  case length
  /// The system's cryptography failed.
  case failed

  /// The expected form, as a sentence.
  public var description: String {
    switch self {
    case .length:
      "A passcode has \(PasscodeHash.length.lowerBound) to \(PasscodeHash.length.upperBound) characters."
    case .failed: "The passcode could not be hashed."
    }
  }
}
