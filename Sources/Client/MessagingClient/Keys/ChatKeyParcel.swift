import Crypto
import Encryption
import Messaging

/// The keys of a chat for one recipient, and everybody who gets the newest of them.
///
/// The holders protect against a server that hands out the envelope of another chat: a key that somebody outside the
/// chat knows is not used for sending.
struct ChatKeyParcel {
  /// Keys, the newest last. Others get the newest alone; an identity keeps all of its own for its next endpoint.
  var keys: [ChatKey]
  var holders: Holders

  /// The identities with a key: their list, or a digest of it where it is long.
  enum Holders: Equatable {
    static let longestList = 32

    case list([RegID])
    case digest([UInt8])

    init(_ ids: [RegID]) throws(CryptoError) {
      let sorted = ids.sorted()
      guard sorted.count > Self.longestList else {
        self = .list(sorted)
        return
      }
      var writer = ByteWriter()
      writer.write(Array("Parley chat key holders 1\0".utf8))
      for id in sorted { writer.write(id.value) }
      self = .digest(try Digest.sha256(writer.bytes))
    }

    /// Holders who are not among these; nil where a digest says only that there are some.
    func strangers(to participants: [RegID]) -> [RegID]? {
      switch self {
      case .list(let ids): return ids.filter { !participants.contains($0) }
      case .digest: return (try? Holders(participants)) == self ? [] : nil
      }
    }
  }

  init(keys: [ChatKey], holders: Holders) {
    self.keys = keys
    self.holders = holders
  }

  func encoded() -> SecretBytes {
    var writer = ByteWriter()
    writer.write(UInt16(truncatingIfNeeded: keys.count))
    for key in keys { writer.write(key.secret.bytes) }
    switch holders {
    case .list(let ids):
      writer.write(UInt8(truncatingIfNeeded: ids.count))
      for id in ids { writer.write(id.value) }
    case .digest(let digest):
      writer.write(UInt8.max)
      writer.write(digest)
    }
    var bytes = writer.bytes
    return SecretBytes(wiping: &bytes)
  }

  init(decoding secret: SecretBytes) throws(KeyMessageError) {
    var reader = ByteReader(secret.unprotectedCopy())
    let count = Int(try reader.read(UInt16.self))
    guard (1...ChatKeyRing.maximumKeys).contains(count) else { throw .malformed }
    keys = []
    for _ in 0..<count {
      var bytes = try reader.read(count: ChatKey.length)
      do throws(CryptoError) { keys.append(try ChatKey(secret: SecretBytes(wiping: &bytes))) } catch { throw .failed }
    }
    let form = try reader.read(UInt8.self)
    if form == .max {
      holders = .digest(try reader.read(count: 32))
    } else {
      var ids: [RegID] = []
      for _ in 0..<form { ids.append(RegID(try reader.read(UInt64.self))) }
      holders = .list(ids)
    }
    try reader.finish()
  }
}
