internal import Basics

/// The messages of the Data Channel Establishment Protocol (RFC 8832 section 5).
enum DCEPMessage: Equatable {
  case open(DataChannelOptions)
  case acknowledge

  /// The message's bytes.
  var bytes: [UInt8] {
    switch self {
    case .acknowledge: return [2]
    case .open(let options):
      var type: UInt8 = options.ordered ? 0 : 0x80
      var limit: UInt32 = 0
      if let retransmits = options.maxRetransmits {
        type |= 1
        limit = UInt32(retransmits)
      } else if let lifetime = options.maxLifetime {
        type |= 2
        limit = UInt32(clamping: lifetime.milliseconds)
      }
      let label = Array(options.label.utf8)
      let name = Array(options.protocol.utf8)
      var bytes: [UInt8] = [3, type]
      bytes.appendNetwork(options.priority)
      bytes.appendNetwork(limit)
      bytes.appendNetwork(UInt16(truncatingIfNeeded: label.count))
      bytes.appendNetwork(UInt16(truncatingIfNeeded: name.count))
      return bytes + label + name
    }
  }

  /// Reads a message; nil for one of another type, with lengths that do not add up, names too long or not UTF-8, or a
  /// channel type that does not exist.
  init?(parsing bytes: Span<UInt8>, maximumName: Int) {
    guard let type = bytes.isEmpty ? nil : bytes[0] else { return nil }
    if type == 2 {
      self = .acknowledge
      return
    }
    guard type == 3, bytes.count >= 12 else { return nil }
    let label = Int(bytes.networkUInt16(at: 8))
    let name = Int(bytes.networkUInt16(at: 10))
    guard label <= maximumName, name <= maximumName, bytes.count == 12 &+ label &+ name else { return nil }
    guard let labelText = try? UTF8Span(validating: bytes.extracting(12..<12 &+ label)),
      let nameText = try? UTF8Span(validating: bytes.extracting(12 &+ label..<bytes.count))
    else { return nil }
    var options = DataChannelOptions(
      label: String(copying: labelText), protocol: String(copying: nameText), ordered: bytes[1] & 0x80 == 0,
      priority: bytes.networkUInt16(at: 2))
    let limit = bytes.networkUInt32(at: 4)
    switch bytes[1] & 0x7F {
    case 0: break
    case 1: options.maxRetransmits = UInt16(clamping: limit)
    case 2: options.maxLifetime = .milliseconds(Int64(limit))
    default: return nil
    }
    self = .open(options)
  }
}

/// Payload protocol identifiers of data channels (RFC 8831 section 8).
enum DataChannelPayload {
  static let control: UInt32 = 50
  static let text: UInt32 = 51
  static let binary: UInt32 = 53
  static let emptyText: UInt32 = 56
  static let emptyBinary: UInt32 = 57
}
