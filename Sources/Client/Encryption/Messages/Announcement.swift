public import Basics
public import Crypto

/// A client's own description for everybody in an encrypted meeting: its keys, name and sender index, signed by its
/// identity.
///
/// A code from the link secret comes first, so that a client with a wrong link is told apart from an attack.
public struct Announcement: Hashable, Sendable {
  static let version: UInt8 = 1
  static let maximumMeetingLength = 128
  private static let meetingLabel = Array("Parley meeting 1\0".utf8)
  static let maximumNameLength = 640
  private static let nonceLength = 16
  private static let codeLength = 32
  private static let signatureLabel = Array("Parley announcement 1\0".utf8)
  private static let bindingLabel = Array("Parley binding 1\0".utf8)

  /// The meeting that it belongs to, as ``meetingField(for:)`` writes it.
  public let meeting: String
  public let participant: ParticipantID
  /// The name that others are shown.
  public let name: String
  /// The key that people compare: of one meeting for guests, a lasting one from the vault.
  public let identity: Ed25519.PublicKey
  /// The key that others seal envelopes for; fresh for each meeting.
  public let meetingKey: X25519.PublicKey
  /// The sender of its frames' key ids.
  public let senderIndex: UInt16
  /// Rises with each announcement of a client; the keys stay.
  public let revision: UInt32
  private let nonce: [UInt8]

  /// An announcement with a fresh nonce.
  init(
    meeting: String, participant: ParticipantID, name: String, identity: Ed25519.PublicKey,
    meetingKey: X25519.PublicKey, senderIndex: UInt16, revision: UInt32
  ) throws(CryptoError) {
    self.meeting = meeting
    self.participant = participant
    self.name = name
    self.identity = identity
    self.meetingKey = meetingKey
    self.senderIndex = senderIndex
    self.revision = revision
    nonce = try SecureRandom.bytes(Self.nonceLength)
  }

  /// A meeting's name as announcements carry it: a hash in place of one of more than 128 bytes, since a name of 128
  /// characters may have 512 bytes and an announcement has at most 1,024. No room's name begins with `#`.
  static func meetingField(for name: String) throws(CryptoError) -> String {
    guard name.utf8.count > maximumMeetingLength else { return name }
    return "#" + Base64URL.encode(try Digest.sha256(meetingLabel + name.utf8))
  }

  /// The bytes to send.
  func signed(by key: Ed25519.PrivateKey, code: SecretBytes) throws(CryptoError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(fields)
    writer.write(try key.sign((Self.signatureLabel + fields).span))
    writer.write(try HMAC.code(of: writer.bytes.span, key: code.bytes, using: .sha256))
    return writer.bytes
  }

  private var fields: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(text: meeting)
    writer.write(text: participant.rawValue)
    writer.write(text: name)
    writer.write(identity.rawValue)
    writer.write(meetingKey.rawValue)
    writer.write(senderIndex)
    writer.write(revision)
    writer.write(nonce)
    return writer.bytes
  }

  /// Reads an announcement and checks its code and signature.
  ///
  /// - Throws: ``KeyMessageError/malformed``, ``KeyMessageError/wrongSecret``, ``KeyMessageError/wrongSignature``.
  init(verifying bytes: [UInt8], code: SecretBytes) throws(KeyMessageError) {
    var reader = ByteReader(bytes)
    guard try reader.read(UInt8.self) == Self.version else { throw .malformed }
    meeting = try reader.readText(limit: Self.maximumMeetingLength)
    participant = ParticipantID(rawValue: try reader.readText(limit: ParticipantID.maximumLength))
    name = try reader.readText(limit: Self.maximumNameLength)
    let identityBytes = try reader.read(count: Ed25519.keyLength)
    let meetingKeyBytes = try reader.read(count: X25519.length)
    senderIndex = try reader.read(UInt16.self)
    revision = try reader.read(UInt32.self)
    nonce = try reader.read(count: Self.nonceLength)
    let signature = try reader.read(count: Ed25519.signatureLength)
    let signedLength = reader.offset
    let tag = try reader.read(count: Self.codeLength)
    try reader.finish()
    guard senderIndex > 0 else { throw .malformed }
    do throws(CryptoError) {
      identity = try Ed25519.PublicKey(identityBytes)
      meetingKey = try X25519.PublicKey(meetingKeyBytes)
      let covered = bytes.span.extracting(0..<signedLength)
      guard try HMAC.isValid(tag.span, of: covered, key: code.bytes, using: .sha256) else {
        throw CryptoError.authenticationFailed
      }
    } catch {
      throw error == .authenticationFailed ? .wrongSecret : .failed
    }
    let message = Self.signatureLabel + Array(bytes.prefix(signedLength - Ed25519.signatureLength))
    guard identity.verifies(signature.span, of: message.span) else { throw .wrongSignature }
  }

  /// Stands for a participant and its keys, whatever it changes of name and index: 32 bytes.
  func binding() throws(CryptoError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.bindingLabel)
    writer.write(text: meeting)
    writer.write(text: participant.rawValue)
    writer.write(identity.rawValue)
    writer.write(meetingKey.rawValue)
    return try Digest.sha256(writer.bytes)
  }
}
