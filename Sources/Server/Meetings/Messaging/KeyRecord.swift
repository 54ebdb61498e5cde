import FoundationEssentials
import Messaging

/// The keys that an app without key management stores for a user: a JSON object whose private part the app has
/// encrypted, and whose public part others in the domain read.
public struct KeyRecord: Sendable, Hashable {
  /// Any JSON value, kept as it came.
  indirect enum Value: Sendable, Hashable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([Value])
    case object([String: Value])

    /// How many values it has, itself included.
    var count: Int {
      switch self {
      case .null, .truth, .number, .text: 1
      case .list(let list): list.reduce(1) { $0 + $1.count }
      case .object(let members): members.values.reduce(1) { $0 + $1.count }
      }
    }
  }

  /// Bytes of a record.
  public static let maximumBytes = MessagingLimits.keyRecordBytes

  private(set) var members: [String: Value]

  public init() { members = [:] }

  /// Reads a JSON object. Nil for anything else, and for one with more than ``MessagingLimits/keyRecordValues`` values
  /// or nested deeper than ``MessagingLimits/keyRecordDepth``.
  public init?(json: [UInt8]) {
    guard case .object(let members)? = KeyRecordReader.value(in: json) else { return nil }
    self.members = members
  }

  public func json() throws -> [UInt8] { Array(try JSONEncoder().encode(Value.object(members))) }

  /// The part that others read.
  public var publicPart: KeyRecord {
    var part = KeyRecord()
    part.members["public"] = members["public"] ?? .object([:])
    return part
  }

  /// The record after a request `{"keys": …, "replace": …}`: members are merged, null removes one. Nil when the request
  /// has another form, or the record has too many values then.
  public func applying(_ request: [UInt8]) -> KeyRecord? {
    guard let change = KeyRecord(json: request), case .object(let keys)? = change.members["keys"],
      Set(change.members.keys).isSubset(of: ["keys", "replace"])
    else { return nil }
    var record = self
    switch change.members["replace"] {
    case .truth(true): record.members = [:]
    case .truth(false), .null, nil: break
    case .number, .text, .list, .object: return nil
    }
    guard case .object(let merged) = Self.merge(.object(keys), into: .object(record.members)) else { return nil }
    record.members = merged.filter { $0.key == "public" || $0.key == "private" }
    return Value.object(record.members).count <= MessagingLimits.keyRecordValues ? record : nil
  }

  private static func merge(_ change: Value, into old: Value?) -> Value {
    guard case .object(let change) = change else { return change }
    var members: [String: Value] = [:]
    if case .object(let known)? = old { members = known }
    for (name, value) in change { members[name] = value == .null ? nil : merge(value, into: members[name]) }
    return .object(members)
  }
}

extension KeyRecord.Value: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .truth(let truth): try container.encode(truth)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let members): try container.encode(members)
    }
  }
}
