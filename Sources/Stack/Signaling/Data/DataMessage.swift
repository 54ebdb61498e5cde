/// One message of a data channel: a version byte, the length of the header in two bytes of network order, the header as
/// JSON, and the payload, which nobody but the receiving application looks into.
public struct DataMessage<Header: Sendable & Hashable & Codable>: Sendable, Hashable {
  /// Its target or origin, and its subject.
  public var header: Header
  /// The application's bytes.
  public var payload: ArraySlice<UInt8>

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
