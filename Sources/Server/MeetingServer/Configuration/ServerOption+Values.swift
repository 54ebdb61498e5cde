import Basics
import Options

/// How the text of an option becomes addresses, or an error that says what was expected.
extension ServerOption {
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
}
