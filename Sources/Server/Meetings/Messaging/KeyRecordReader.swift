import Basics
import FoundationEssentials
import Messaging

/// Reads the JSON of key records, whose values may be of any kind. The first byte of a value says which it is: a
/// `Decodable` that tries one kind after the other makes an error for each try, which a record of many values would
/// multiply.
struct KeyRecordReader {
  private let bytes: [UInt8]
  private var index = 0
  private var values = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value of a whole text; nil when it isn't JSON or is over a limit.
  static func value(in json: [UInt8]) -> KeyRecord.Value? {
    guard (try? JSONScan.check(json, maximumDepth: MessagingLimits.keyRecordDepth)) != nil else { return nil }
    var reader = KeyRecordReader(json)
    guard let value = reader.readValue() else { return nil }
    reader.skipSpace()
    return reader.index == json.count ? value : nil
  }

  private mutating func skipSpace() {
    while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x0A, 0x0D, 0x09: true
    default: false
    }
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Takes a byte after white space; false, and takes nothing, when another one comes.
  private mutating func takes(_ byte: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == UInt8(ascii: byte) else { return false }
    index += 1
    return true
  }

  private mutating func takes(word: StaticString) -> Bool {
    let rest = bytes[index...].prefix(word.utf8CodeUnitCount)
    guard String(decoding: rest, as: UTF8.self) == word.description else { return false }
    index += rest.count
    return true
  }

  private mutating func readValue() -> KeyRecord.Value? {
    values += 1
    skipSpace()
    guard values <= MessagingLimits.keyRecordValues, index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "{"): return readObject()
    case UInt8(ascii: "["): return readList()
    case UInt8(ascii: "\""): return readText().map { .text($0) }
    case UInt8(ascii: "n"): return takes(word: "null") ? .null : nil
    case UInt8(ascii: "t"): return takes(word: "true") ? .truth(true) : nil
    case UInt8(ascii: "f"): return takes(word: "false") ? .truth(false) : nil
    default: return readNumber()
    }
  }

  // The scan has bounded the depth of this recursion.
  private mutating func readObject() -> KeyRecord.Value? {
    index += 1
    var members: [String: KeyRecord.Value] = [:]
    if takes("}") { return .object(members) }
    repeat {
      skipSpace()
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\""), let name = readText(), takes(":"),
        let value = readValue()
      else { return nil }
      members[name] = value
    } while takes(",")
    return takes("}") ? .object(members) : nil
  }

  private mutating func readList() -> KeyRecord.Value? {
    index += 1
    var list: [KeyRecord.Value] = []
    if takes("]") { return .list(list) }
    repeat {
      guard let value = readValue() else { return nil }
      list.append(value)
    } while takes(",")
    return takes("]") ? .list(list) : nil
  }

  private mutating func readText() -> String? {
    let start = index
    var isPlain = true
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] < 0x20 { return nil }
      if bytes[index] == UInt8(ascii: "\\") {
        isPlain = false
        index += 1
      }
      index += 1
    }
    guard index < bytes.count else { return nil }
    index += 1
    if isPlain { return String(decoding: bytes[start + 1..<index - 1], as: UTF8.self) }
    return Self.decode([String].self, bytes[start..<index])?.first
  }

  private mutating func readNumber() -> KeyRecord.Value? {
    let start = index
    let end = bytes[start...].firstIndex { !Self.isOfNumber($0) } ?? bytes.count
    index = end
    return Self.decode([Double].self, bytes[start..<end])?.first.map { .number($0) }
  }

  /// Decodes one text or number.
  private static func decode<Element: Decodable>(_: [Element].Type, _ literal: ArraySlice<UInt8>) -> [Element]? {
    try? JSONDecoder().decode([Element].self, from: Data([UInt8(ascii: "[")] + literal + [UInt8(ascii: "]")]))
  }
}
