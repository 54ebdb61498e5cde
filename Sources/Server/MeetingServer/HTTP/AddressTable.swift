/// The addresses behind one door, and the methods that each takes. A door asks this before anything else, so that what is not here is not there, and every test
/// that walks all addresses finds each.
struct AddressTable: Sendable {
  /// One of them.
  struct Address: Sendable, Hashable {
    /// What stands behind the door's own path, with `*` for what varies.
    var pattern: String
    var methods: [String]

    /// The value of the header `Allow`.
    var allow: String { methods.joined(separator: ", ") }
  }

  let all: [Address]
  private let parts: [[Substring]]

  /// A table of patterns and methods, those with a blank between them.
  init(_ rows: KeyValuePairs<String, String>) {
    all = rows.map { Address(pattern: $0, methods: $1.split(separator: " ").map(String.init)) }
    parts = all.map { $0.pattern.split(separator: "/") }
  }

  /// The address of a path behind the door's own; nil when it is none.
  func find(_ path: some Collection<Substring>) -> Address? {
    let index = parts.firstIndex { pattern in
      pattern.count == path.count && zip(pattern, path).allSatisfy { $0 == "*" || $0 == $1 }
    }
    return index.map { all[$0] }
  }
}
