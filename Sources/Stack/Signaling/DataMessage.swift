/// Which of the two data channels a message travels over. A client opens both, by DCEP (RFC 8832), when it joins.
public enum DataReliability: String, Sendable, Hashable, Codable, CaseIterable {
  /// Every message arrives, in order, as long as the connection lives.
  case reliable
  /// A message is sent once and may be lost or overtaken.
  case lossy

  /// The label of the channel.
  public var label: String { self == .reliable ? "parley-reliable" : "parley-lossy" }

  /// The most bytes of payload in one message.
  public var payloadLimit: Int { self == .reliable ? DataLimits.reliablePayload : DataLimits.lossyPayload }
}

/// The bounds of data messages. The server holds clients to them; a client keeps them by itself, since what is beyond is dropped.
public enum DataLimits {
  /// The version byte that each message begins with.
  public static let version: UInt8 = 1
  /// Bytes of payload on the reliable channel.
  public static let reliablePayload = 64 * 1_024
  /// Bytes of payload on the lossy channel. An SCTP packet in a DTLS record of 1,200 bytes has room for 1,132 bytes of message, so
  /// that with this payload 108 stay for the header: a message in one packet is lost only when that packet is.
  public static let lossyPayload = 1_024
  /// Bytes of the header: 100 recipients and a topic of 128 bytes fit, however they are escaped.
  public static let header = 4_096
  /// Bytes of a topic in UTF-8.
  public static let topic = 128
  /// Recipients that one message can name.
  public static let recipients = 100
  /// Messages a second that a participant may send on average.
  public static let messagesPerSecond = 200
  /// Messages that it may send at once.
  public static let messageBurst = 400
  /// Bytes a second, headers included, that a participant may send on average.
  public static let bytesPerSecond = 1_024 * 1_024
  /// Bytes that it may send at once.
  public static let byteBurst = 2 * 1_024 * 1_024
}

/// The header of a data message from a client to the server.
public struct ClientDataHeader: Sendable, Hashable, Codable {
  /// The ids of those who are to get it; nil for everybody else in the meeting.
  public var to: [String]?
  /// What the message is about; the application's business. Empty where the key is absent.
  public var topic: String

  /// A header.
  public init(to: [String]? = nil, topic: String = "") {
    self.to = to
    self.topic = topic
  }

  /// Reads a header; both keys may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    to = try container.decodeIfPresent([String].self, forKey: .to)
    topic = try container.decodeIfPresent(String.self, forKey: .topic) ?? ""
  }

  private enum CodingKeys: String, CodingKey { case to, topic }
}

/// The header of a data message from the server to a client.
public struct ServerDataHeader: Sendable, Hashable, Codable {
  /// Who sent it. The server writes this from the session, whatever the sender wrote.
  public var from: String
  /// What the message is about.
  public var topic: String

  /// A header.
  public init(from: String, topic: String = "") {
    self.from = from
    self.topic = topic
  }

  /// Reads a header; `topic` may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    from = try container.decode(String.self, forKey: .from)
    topic = try container.decodeIfPresent(String.self, forKey: .topic) ?? ""
  }

  private enum CodingKeys: String, CodingKey { case from, topic }
}

/// One message of a data channel: a version byte, the length of the header in two bytes of network order, the header as JSON, and
/// the payload, which nobody but the receiving application looks into.
public struct DataMessage<Header: Sendable & Hashable & Codable>: Sendable, Hashable {
  /// Where it goes or comes from, and what it is about.
  public var header: Header
  /// The application's bytes.
  public var payload: ArraySlice<UInt8>

  /// A message.
  public init(header: Header, payload: ArraySlice<UInt8>) {
    self.header = header
    self.payload = payload
  }

  /// Reads a message. The payload shares memory with `bytes`; the cost is the header's.
  /// - Throws: ``DataMessageError`` with what was expected.
  public init(parsing bytes: [UInt8]) throws(DataMessageError) {
    guard bytes.count >= 3 else { throw .malformed("it ends before its header") }
    guard bytes[0] == DataLimits.version else { throw .unknownVersion(bytes[0]) }
    let length = Int(bytes[1]) << 8 | Int(bytes[2])
    guard length <= DataLimits.header else { throw .headerTooLong(length) }
    guard bytes.count >= 3 + length else { throw .malformed("its header is longer than itself") }
    do throws(SignalingError) {
      header = try SignalingDecoder().decode(Header.self, from: Array(bytes[3..<3 + length]))
    } catch { throw .malformed(error.description) }
    payload = bytes[(3 + length)...]
  }

  /// The bytes to send.
  /// - Throws: ``DataMessageError/headerTooLong(_:)``.
  public func encoded() throws(DataMessageError) -> [UInt8] {
    let text: [UInt8]
    do {
      text = Array(try SignalingEncoder().encode(header).utf8)
    } catch { throw .malformed("its header cannot be written") }
    guard text.count <= DataLimits.header else { throw .headerTooLong(text.count) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 + text.count + payload.count)
    bytes.append(DataLimits.version)
    bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
    bytes.append(UInt8(truncatingIfNeeded: text.count))
    bytes += text
    bytes += payload
    return bytes
  }
}

extension DataMessage where Header == ClientDataHeader {
  /// Checks the limits of a message that a client sends over the channel of `reliability`.
  public func check(_ reliability: DataReliability) throws(DataMessageError) {
    guard payload.count <= reliability.payloadLimit else { throw .payloadTooLarge(maximum: reliability.payloadLimit) }
    guard header.topic.utf8.count <= DataLimits.topic else { throw .topicTooLong }
    guard (header.to?.count ?? 0) <= DataLimits.recipients else { throw .tooManyRecipients }
  }
}

/// Why a data message was refused or dropped.
public enum DataMessageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It does not follow the format: a sentence's end.
  case malformed(String)
  /// Its first byte is another than ``DataLimits/version``.
  case unknownVersion(UInt8)
  /// The header has so many bytes.
  case headerTooLong(Int)
  /// The payload is larger than its channel takes.
  case payloadTooLarge(maximum: Int)
  /// The topic is longer than ``DataLimits/topic``.
  case topicTooLong
  /// More recipients are named than ``DataLimits/recipients``.
  case tooManyRecipients

  /// What is wrong and what was expected, in a sentence.
  public var description: String {
    switch self {
    case .malformed(let why): "The data message cannot be understood: \(why)"
    case .unknownVersion(let version): "The data message is of version \(version); expected \(DataLimits.version)."
    case .headerTooLong(let count): "The header has \(count) bytes; at most \(DataLimits.header) are accepted."
    case .payloadTooLarge(let maximum): "The payload is too large: at most \(maximum) bytes go over this channel."
    case .topicTooLong: "The topic is too long: at most \(DataLimits.topic) bytes are accepted."
    case .tooManyRecipients: "At most \(DataLimits.recipients) recipients can be named; leave `to` out for everybody."
    }
  }
}
