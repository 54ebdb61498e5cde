internal import Crypto

/// A message between two clients, inside an envelope.
enum PairMessage: Equatable {
  /// The sender's key of an epoch, and what it was sent under.
  case key(SenderKeyMessage)
  /// The recipient has the key of this epoch.
  case acknowledgement(epoch: UInt64)
  /// The recipient of frames lacks their key.
  case request

  /// The bytes to seal.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .key(let message):
      writer.write(UInt8(1))
      writer.write(message.epoch)
      writer.write(message.baseKey.bytes)
      writer.write(message.rosterHash)
      writer.write(UInt8(truncatingIfNeeded: message.tracks.count))
      for (index, source) in message.tracks.sorted(by: { $0.key < $1.key }) {
        writer.write(index)
        writer.write(source.rawValue)
      }
    case .acknowledgement(let epoch):
      writer.write(UInt8(2))
      writer.write(epoch)
    case .request: writer.write(UInt8(3))
    }
    return writer.bytes
  }

  /// Reads what an envelope held.
  init(decoding bytes: [UInt8]) throws(KeyMessageError) {
    var reader = ByteReader(bytes)
    switch try reader.read(UInt8.self) {
    case 1: self = .key(try SenderKeyMessage(&reader))
    case 2: self = .acknowledgement(epoch: try reader.read(UInt64.self))
    case 3: self = .request
    default: throw .malformed
    }
    try reader.finish()
  }
}

/// A sender's key of one epoch.
struct SenderKeyMessage: Equatable {
  static let keyLength = 32
  static let hashLength = 32

  let epoch: UInt64
  let baseKey: SecretBytes
  /// A hash of those who get the sender's keys, so that two rosters for two people are seen.
  let rosterHash: [UInt8]
  /// The source of each of its tracks.
  let tracks: [UInt8: FrameSource]

  init(epoch: UInt64, baseKey: SecretBytes, rosterHash: [UInt8], tracks: [UInt8: FrameSource]) {
    self.epoch = epoch
    self.baseKey = baseKey
    self.rosterHash = rosterHash
    self.tracks = tracks
  }

  fileprivate init(_ reader: inout ByteReader) throws(KeyMessageError) {
    epoch = try reader.read(UInt64.self)
    var key = try reader.read(count: Self.keyLength)
    baseKey = SecretBytes(wiping: &key)
    rosterHash = try reader.read(count: Self.hashLength)
    var tracks: [UInt8: FrameSource] = [:]
    for _ in 0..<(try reader.read(UInt8.self)) {
      let index = try reader.read(UInt8.self)
      let source = try reader.read(UInt8.self)
      guard index < FrameKeyID.tracks, tracks[index] == nil else { throw .malformed }
      // This version doesn't know a source of a later one: its frames are dropped, and the others play.
      if let source = FrameSource(rawValue: source) { tracks[index] = source }
    }
    self.tracks = tracks
  }
}
