import Basics

/// How the text of an option becomes a value, or an error that says what was expected.
extension ServerOption {
  static func port(_ text: String, _ option: String) throws(ConfigurationError) -> UInt16 {
    UInt16(truncatingIfNeeded: try number(text, option, 0...65_535))
  }

  static func number(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws(ConfigurationError)
    -> Int
  {
    guard let value = Int(text), range.contains(value) else {
      throw .wrongValue(
        option: option, value: text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  static func address(_ text: String, _ option: String) throws(ConfigurationError) -> IPAddress {
    if text == "localhost" { return IPAddress(v4: 0x7F00_0001) }
    guard let value = IPAddress(text) else {
      throw .wrongValue(option: option, value: text, expected: "an IPv4 or IPv6 address, such as 192.0.2.1 or ::")
    }
    return value
  }

  static func addresses(_ text: String, _ option: String) throws(ConfigurationError) -> [IPAddress] {
    var all: [IPAddress] = []
    for part in text.split(separator: ",") {
      let ip = try address(part.filter { !$0.isWhitespace }, option)
      if !all.contains(ip) { all.append(ip) }
    }
    guard all.count <= 16 else { throw .wrongValue(option: option, value: text, expected: "at most 16 addresses") }
    return all
  }

  static func boolean(_ text: String, _ option: String) throws(ConfigurationError) -> Bool {
    switch text.lowercased() {
    case "yes", "true", "1", "on": return true
    case "no", "false", "0", "off": return false
    default: throw .wrongValue(option: option, value: text, expected: "yes or no")
    }
  }

  /// As ``nonEmpty(_:_:_:)``, but the value is not repeated in the error.
  static func secret(_ text: String, _ option: String, _ what: String) throws(ConfigurationError) -> String {
    guard !text.isEmpty else { throw .wrongValue(option: option, value: "", expected: what) }
    return text
  }

  static func nonEmpty(_ text: String, _ option: String, _ what: String) throws(ConfigurationError) -> String {
    guard !text.isEmpty else { throw .wrongValue(option: option, value: text, expected: what) }
    return text
  }
}
