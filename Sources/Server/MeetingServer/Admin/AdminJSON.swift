import Signaling

/// Any JSON value, as a request's body brings it.
enum AdminJSON: Decodable, Sendable, Equatable {
  case null
  case truth(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case list([AdminJSON])
  case object([String: AdminJSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .truth(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([AdminJSON].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: AdminJSON].self))
    }
  }

  /// The kind of value, for a sentence.
  var kind: String {
    switch self {
    case .null: "null"
    case .truth: "true or false"
    case .integer, .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}
