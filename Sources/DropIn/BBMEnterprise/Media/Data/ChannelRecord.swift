import Crypto
import Foundation

/// A block of a data connection: a step of one channel. A kind of one byte, the channel's number of four in network
/// order, and what belongs to it.
enum ChannelRecord: Equatable {
  case open(UInt32, ChannelHeader)
  case bytes(UInt32, [UInt8])
  /// Everything was sent; its digest.
  case end(UInt32, digest: [UInt8])
  /// The channel is closed. Of anything but a stream, something is missing then.
  case close(UInt32)

  init?(_ block: [UInt8]) {
    guard block.count >= 5 else { return nil }
    let channel = block[1..<5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let rest = block[5...]
    switch block[0] {
    case 0:
      guard let header = try? JSONDecoder().decode(ChannelHeader.self, from: Data(rest)), header.isValid else {
        return nil
      }
      self = .open(channel, header)
    case 1: self = .bytes(channel, Array(rest))
    case 2: self = .end(channel, digest: Array(rest))
    case 3: self = .close(channel)
    default: return nil
    }
  }

  var block: [UInt8] {
    switch self {
    case .open(let channel, let header):
      // A header of texts and numbers can be encoded.
      Self.start(0, channel) + ((try? JSONEncoder().encode(header)).map { Array($0) } ?? [])
    case .bytes(let channel, let bytes): Self.start(1, channel) + bytes
    case .end(let channel, let digest): Self.start(2, channel) + digest
    case .close(let channel): Self.start(3, channel)
    }
  }

  private static func start(_ kind: UInt8, _ channel: UInt32) -> [UInt8] {
    [kind] + (0..<4).map { UInt8(truncatingIfNeeded: channel >> (24 - $0 * 8)) }
  }

  /// Bytes of a ``bytes(_:_:)`` at most.
  static let payloadLimit = DataLink.blockLimit - 5
}

/// The announcement of a channel.
struct ChannelHeader: Codable, Equatable {
  var type: UInt32
  var name: String?
  /// Bytes in all; nil for a stream.
  var size: UInt64?

  /// Characters of a name, and its bytes in UTF-8, at most: a character may have any number of bytes.
  static let nameLimit = 1_024
  static let nameByteLimit = 4_096
  /// Bytes of what one side receives in memory at once, of all channels together.
  static let memoryLimit: UInt64 = 256 * 1_024 * 1_024

  /// The part of a name that may be sent.
  static func cut(_ name: String) -> String {
    var bytes = 0
    return String(
      name.prefix(nameLimit).prefix { character in
        bytes += character.utf8.count
        return bytes <= nameByteLimit
      })
  }

  /// Whether it may come from somebody else.
  var isValid: Bool {
    guard (name?.utf8.count ?? 0) <= Self.nameByteLimit, (name?.count ?? 0) <= Self.nameLimit else { return false }
    return switch BBMDataChannelType(rawValue: type) {
    case kDataChannelStream: size == nil
    case kDataChannelFile: size != nil
    case kDataChannelData, kDataChannelString: size.map { $0 <= Self.memoryLimit } == true
    default: false
    }
  }
}

/// The digest of a transfer: each SHA-256 covers the one before and the bytes of a record.
struct TransferDigest {
  private(set) var value = [UInt8](repeating: 0, count: HashAlgorithm.sha256.length)

  mutating func add(_ bytes: [UInt8]) throws(CryptoError) { value = try Digest.sha256(value + bytes) }
}
