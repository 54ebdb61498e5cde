import Transport

/// The parameters of a request's query. Unread ones are refused, as in ``AdminFields``.
struct AdminQuery {
  private var values: [String: String] = [:]

  /// The largest page of a list, and the default.
  static let limit = (most: 200, usual: 50)

  /// Reads a query; a name that comes twice is refused.
  init(_ query: String?) throws(Refusal) {
    for part in (query ?? "").split(separator: "&").prefix(FormBody.maximumFields) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = FormBody.decode(pair[0])
      guard values[name] == nil else {
        throw Refusal(400, "badParameter", "The parameter \(name.prefix(40)) is given twice.")
      }
      values[name] = pair.count == 2 ? FormBody.decode(pair[1]) : ""
    }
  }

  /// A value that `isGood`, which is `expected` in words.
  mutating func text(
    _ name: String, _ expected: String, _ isGood: (String) -> Bool
  ) throws(Refusal) -> String? {
    guard let value = values.removeValue(forKey: name) else { return nil }
    guard isGood(value) else { throw Refusal(400, "badParameter", "The parameter \(name) must be \(expected).") }
    return value
  }

  /// A whole number in decimal digits.
  mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(Refusal) -> Int? {
    let text = try text(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      text.utf8.allSatisfy { (48...57).contains($0) } && Int(text).map(range.contains) == true
    }
    return text.flatMap { Int($0) }
  }

  mutating func truth(_ name: String) throws(Refusal) -> Bool? {
    try text(name, "true or false") { ["true", "false"].contains($0) }.map { $0 == "true" }
  }

  /// The number of entries of a page.
  mutating func pageLimit() throws(Refusal) -> Int { try number("limit", 1...Self.limit.most) ?? Self.limit.usual }

  /// The place of the last entry of the page before, in lists that are counted down.
  mutating func before() throws(Refusal) -> Int? { try number("after", 0...999_999_999_999_999) }

  /// Refuses parameters that nobody has read.
  func finish() throws(Refusal) {
    if let name = values.keys.sorted().first {
      throw Refusal(400, "unknownParameter", "There is no parameter \"\(name.prefix(40))\" here.")
    }
  }
}
