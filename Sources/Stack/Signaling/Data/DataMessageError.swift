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

  /// The error and the expected form, in a sentence.
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
