/// How many records and datagrams were dropped, by cause.
public struct DTLSDropCounts: Sendable, Hashable {
  /// A header cut short, a length past the datagram's end, an unknown content type or version.
  public var malformed: UInt64 = 0
  /// Encrypted, but shorter than its cipher's nonce and tag.
  public var shortCiphertext: UInt64 = 0
  /// Application data without encryption.
  public var plaintextData: UInt64 = 0
  /// Alerts without encryption during the handshake, which anybody could have sent.
  public var plaintextAlerts: UInt64 = 0
  /// Of an epoch that is over, or that cannot exist yet.
  public var wrongEpoch: UInt64 = 0
  /// Handshake fragments that overrun their message, contradict an earlier fragment, or ask for too much memory.
  public var badFragment: UInt64 = 0
  /// Encrypted with another key, or changed on the way.
  public var forged: UInt64 = 0
  /// Came a second time, or far too late.
  public var replayed: UInt64 = 0
  /// Arrived before the association was started as a client, or after its end.
  public var inactive: UInt64 = 0

  /// The sum of all.
  public var total: UInt64 {
    malformed &+ shortCiphertext &+ plaintextData &+ plaintextAlerts &+ wrongEpoch &+ badFragment &+ forged &+ replayed
      &+ inactive
  }
}

/// Checks every DTLS record of a datagram (RFC 6347 section 4.1) before OpenSSL or ``DTLSRecordLayer`` sees it.
///
/// Classes of bugs that TLS libraries had (records shorter than their tag, plaintext data after the handshake,
/// fragments that contradict each other) end here, whatever version of OpenSSL is installed.
struct DTLSRecordFilter {
  /// The longest handshake message, in bytes. A certificate is the longest that comes: 300 to 4,000.
  static let maximumMessageLength = 16_384
  /// The longest all unencrypted messages of a handshake may be together.
  static let maximumHandshakeLength = 49_152
  /// A full handshake has fewer messages from each side.
  private static let maximumMessages = 24
  private static let headerLength = 13

  /// The association's state when a record arrives.
  struct State {
    /// Bytes that the negotiated cipher adds to a record; nil until there is one.
    var cipherOverhead: Int?
    /// Whether the handshake is complete.
    var isEstablished: Bool
  }

  private(set) var drops: DTLSDropCounts
  /// The description of the newest alert that was dropped since ``takeAlert()``.
  private var alert: UInt8?
  /// The type and length of each handshake message seen, by its sequence number; zero for none.
  private var messages = [UInt32](repeating: 0, count: maximumMessages)
  private var promisedLength = 0

  /// A filter for a new association that goes on counting from `drops`.
  init(drops: DTLSDropCounts = DTLSDropCounts()) { self.drops = drops }

  /// Counts a datagram that the transport itself dropped.
  mutating func countInactive() { drops.inactive &+= 1 }

  /// Counts a record that did not open.
  mutating func countForgery() { drops.forged &+= 1 }

  /// Counts a record that had come before.
  mutating func countReplay() { drops.replayed &+= 1 }

  /// The description of an alert that would end the association, was dropped because nothing proves whose it is, and
  /// was not taken yet; nil for none.
  mutating func takeAlert() -> UInt8? {
    defer { alert = nil }
    return alert
  }

  /// The next acceptable record of `datagram` at or after `offset`, which moves behind it; nil at the end.
  mutating func nextRecord(in datagram: Span<UInt8>, offset: inout Int, state: State) -> Range<Int>? {
    while offset < datagram.count {
      guard datagram.count &- offset >= Self.headerLength else { break }
      let length = Int(datagram[offset &+ 11]) << 8 | Int(datagram[offset &+ 12])
      let version = UInt16(datagram[offset &+ 1]) << 8 | UInt16(datagram[offset &+ 2])
      let end = offset &+ Self.headerLength &+ length
      // With a wrong length or version the following records cannot be found either.
      guard version == 0xFEFF || version == 0xFEFD, end <= datagram.count, length > 0 else { break }
      let record = offset..<end
      offset = end
      if accepts(datagram, record, state) { return record }
    }
    if offset < datagram.count {
      drops.malformed &+= 1
      offset = datagram.count
    }
    return nil
  }

  private mutating func accepts(_ datagram: Span<UInt8>, _ record: Range<Int>, _ state: State) -> Bool {
    let start = record.lowerBound
    let type = datagram[start]
    guard (20...23).contains(type) else {
      drops.malformed &+= 1
      return false
    }
    let epoch = UInt16(datagram[start &+ 3]) << 8 | UInt16(datagram[start &+ 4])
    let body = (start &+ Self.headerLength)..<record.upperBound
    switch epoch {
    case 0: return acceptsPlaintext(datagram, type, body, state)
    case 1: return acceptsCiphertext(type, length: body.count, state)
    default:
      // Without renegotiation there are two epochs.
      drops.wrongEpoch &+= 1
      return false
    }
  }

  private mutating func acceptsCiphertext(_ type: UInt8, length: Int, _ state: State) -> Bool {
    guard let overhead = state.cipherOverhead, type != 20 else {
      drops.wrongEpoch &+= 1
      return false
    }
    guard length >= overhead else {
      drops.shortCiphertext &+= 1
      return false
    }
    guard length <= 16_384 &+ overhead else {
      drops.malformed &+= 1
      return false
    }
    return true
  }

  private mutating func acceptsPlaintext(
    _ datagram: Span<UInt8>, _ type: UInt8, _ body: Range<Int>, _ state: State
  ) -> Bool {
    if type == 23 {
      drops.plaintextData &+= 1
      return false
    }
    if state.isEstablished {
      drops.wrongEpoch &+= 1
      return false
    }
    switch type {
    case 20 where body.count == 1 && datagram[body.lowerBound] == 1: return true
    case 21 where body.count == 2:
      // Warnings but close_notify mean nothing (RFC 5246 section 7.2).
      let description = datagram[body.lowerBound &+ 1]
      if datagram[body.lowerBound] == 2 || description == 0 { alert = description }
      drops.plaintextAlerts &+= 1
      return false
    case 22:
      if acceptsFragments(datagram, body) { return true }
      drops.badFragment &+= 1
      return false
    default:
      drops.malformed &+= 1
      return false
    }
  }

  /// Checks the handshake fragments in `body` (RFC 6347 section 4.2.2). Notes nothing unless all are right.
  private mutating func acceptsFragments(_ datagram: Span<UInt8>, _ body: Range<Int>) -> Bool {
    var seen = messages
    var promised = promisedLength
    var at = body.lowerBound
    while at < body.upperBound {
      guard body.upperBound &- at >= 12 else { return false }
      let length = Self.threeBytes(datagram, at &+ 1)
      let sequence = Int(datagram[at &+ 4]) << 8 | Int(datagram[at &+ 5])
      let fragmentOffset = Self.threeBytes(datagram, at &+ 6)
      let fragmentLength = Self.threeBytes(datagram, at &+ 9)
      guard length <= Self.maximumMessageLength, fragmentOffset &+ fragmentLength <= length,
        fragmentLength > 0 || length == 0, body.upperBound &- at &- 12 >= fragmentLength,
        sequence < Self.maximumMessages
      else { return false }
      // The top bit distinguishes a message of length 0 and type 0 (HelloRequest) from none.
      let facts = 0x8000_0000 | UInt32(datagram[at]) << 16 | UInt32(length)
      if seen[sequence] == 0 {
        promised &+= length
        guard promised <= Self.maximumHandshakeLength else { return false }
        seen[sequence] = facts
      } else if seen[sequence] != facts {
        return false
      }
      at = at &+ 12 &+ fragmentLength
    }
    messages = seen
    promisedLength = promised
    return true
  }

  private static func threeBytes(_ bytes: Span<UInt8>, _ at: Int) -> Int {
    Int(bytes[at]) << 16 | Int(bytes[at &+ 1]) << 8 | Int(bytes[at &+ 2])
  }
}
