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
  }

  /// Bytes of a record.
  public static let maximumBytes = MessagingLimits.keyRecordBytes

  private(set) var members: [String: Value]

  public init() { members = [:] }

  /// Reads a JSON object; nil for anything else.
  public init?(json: [UInt8]) {
    guard TokenText.problem(in: json) == nil,
      case .object(let members)? = try? JSONDecoder().decode(Value.self, from: Data(json))
    else { return nil }
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
  /// has another form.
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
    return record
  }

  private static func merge(_ change: Value, into old: Value?) -> Value {
    guard case .object(let change) = change else { return change }
    var members: [String: Value] = [:]
    if case .object(let known)? = old { members = known }
    for (name, value) in change { members[name] = value == .null ? nil : merge(value, into: members[name]) }
    return .object(members)
  }
}

extension KeyRecord.Value: Codable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let truth = try? value.decode(Bool.self) {
      self = .truth(truth)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([Self].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: Self].self))
    }
  }

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
