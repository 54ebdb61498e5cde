/// The records of an association after its handshake, which are all of epoch 1 (RFC 6347 section 4.1). A value without
/// I/O.
///
/// Numbers and nonces go on where OpenSSL stopped, so that none is used twice with a key.
struct DTLSRecordLayer {
  /// The content type of a record (RFC 5246 section 6.2.1).
  enum ContentType: UInt8 {
    case alert = 21
    case handshake = 22
    case applicationData = 23
  }

  /// The result of opening a record.
  enum Opened {
    case content(ContentType, [UInt8])
    /// It came before, or is older than what is remembered.
    case replayed
    /// Its tag does not fit, or its type is none that is encrypted.
    case forged
  }

  /// The last number there is.
  static let lastSequence: UInt64 = 0xFFFF_FFFF_FFFF
  private static let epoch: UInt64 = 1 << 48
  private static let headerLength = 13

  private let sending: DTLSRecordCipher
  private let receiving: DTLSRecordCipher
  private var sequence: UInt64
  private var nonce: UInt64
  private var replays = DTLSReplayWindow()

  /// Records that follow those that OpenSSL wrote up to `lastSequence` and the explicit nonce `lastNonce`.
  init(sending: DTLSRecordCipher, receiving: DTLSRecordCipher, lastSequence: UInt64, lastNonce: UInt64) {
    self.sending = sending
    self.receiving = receiving
    sequence = lastSequence
    nonce = lastNonce
  }

  /// The association's state for the record filter.
  var filterState: DTLSRecordFilter.State {
    DTLSRecordFilter.State(cipherOverhead: receiving.kind.overhead, isEstablished: true)
  }

  /// One encrypted record; nil when OpenSSL fails or the numbers are used up.
  mutating func seal(_ type: ContentType, _ content: Span<UInt8>) -> [UInt8]? {
    guard sequence < Self.lastSequence else { return nil }
    sequence &+= 1
    nonce &+= 1
    let kind = sending.kind
    let number = Self.epoch | sequence
    var record = [UInt8]()
    record.reserveCapacity(Self.headerLength + kind.overhead + content.count)
    record += [type.rawValue, 0xFE, 0xFD]
    Self.append(number, to: &record)
    let length = content.count + kind.overhead
    record += [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    if kind.explicitLength > 0 { Self.append(nonce, to: &record) }
    let isSealed = sending.seal(
      content, number: kind.explicitLength > 0 ? nonce : number,
      additional: Self.additional(record, length: content.count), appendingTo: &record)
    return isSealed ? record : nil
  }

  /// Checks and decrypts one whole record, which the record filter has let pass.
  mutating func open(_ record: [UInt8]) -> Opened {
    let kind = receiving.kind
    guard record.count >= Self.headerLength + kind.overhead, let type = ContentType(rawValue: record[0]) else {
      return .forged
    }
    let number = record.span.networkUInt64(at: 3)
    guard replays.isFresh(number & Self.lastSequence) else { return .replayed }
    let explicit = record.span.networkUInt64(at: Self.headerLength)
    let content = receiving.open(
      record, from: Self.headerLength + kind.explicitLength, number: kind.explicitLength > 0 ? explicit : number,
      additional: Self.additional(record, length: record.count - Self.headerLength - kind.overhead))
    guard number >> 48 == 1, let content else {
      OpenSSLErrors.clear()
      return .forged
    }
    replays.accept(number & Self.lastSequence)
    return .content(type, content)
  }

  /// The additional authenticated data: number, type, version and length (RFC 5246 section 6.2.3.3).
  private static func additional(_ record: [UInt8], length: Int) -> [UInt8] {
    Array(record[3..<11]) + record[0..<3] + [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(56 &- 8 &* index))) }
  }
}

/// The newest 64 records that have come (RFC 6347 section 4.1.2.6).
struct DTLSReplayWindow {
  /// The number after the highest.
  private var end: UInt64 = 0
  /// One bit for each of the 64 before `end`, the lowest for the highest number.
  private var seen: UInt64 = 0

  /// Whether a record may be accepted. Changes nothing.
  func isFresh(_ sequence: UInt64) -> Bool {
    if sequence >= end { return true }
    let age = end &- 1 &- sequence
    return age < 64 && seen & (1 << age) == 0
  }

  /// Notes a record that was authenticated.
  mutating func accept(_ sequence: UInt64) {
    if sequence >= end {
      let step = sequence &+ 1 &- end
      // A shift by 64 and more gives zero.
      seen = (seen << step) | 1
      end = sequence &+ 1
    } else {
      seen |= 1 << (end &- 1 &- sequence)
    }
  }
}
