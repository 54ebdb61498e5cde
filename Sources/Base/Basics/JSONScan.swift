/// A pass over the bytes of a JSON text before a decoder sees it: UTF-8, nesting, duplicate keys and endless runs of
/// combining marks.
///
/// The decoder itself neither bounds the nesting as tightly as we want nor refuses duplicate keys; of two equal keys
/// it silently keeps one, and a second reader may keep the other. The scan costs one pass. It does not check the whole
/// grammar (the decoder does that afterwards); it only promises that for every text the decoder accepts, depth and keys
/// are as it saw them.
public enum JSONScan {
  /// Why a text isn't passed on to a decoder.
  public enum Problem: Error, Sendable, Hashable {
    /// Objects and arrays are nested deeper than allowed.
    case tooDeep
    /// An object has this key twice; at most its first 40 characters.
    case duplicateKey(String)
    /// Not UTF-8, or not JSON: why, as the end of a sentence.
    case notJSON(String)
    /// A text has more than ``CombiningMarks/longestRun`` combining marks in a row.
    case combiningMarks
  }

  /// Throws at the first problem of a text that may be nested `maximumDepth` levels deep.
  public static func check(_ bytes: [UInt8], maximumDepth: Int) throws(Problem) {
    // A decoder that sniffs UTF-16 or UTF-32 would read other keys than this scan; zero bytes give those away.
    if bytes.contains(0) { throw .notJSON("it contains a zero byte") }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw .notJSON("it starts with a byte order mark") }
    do { _ = try UTF8Span(validating: bytes.span) } catch { throw .notJSON("it is not UTF-8") }

    var keys = OpenKeys()
    var expectsKey = false
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if keys.depth >= maximumDepth { throw .tooDeep }
        expectsKey = bytes[index] == UInt8(ascii: "{")
        keys.open(isObject: expectsKey)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard keys.close() else { throw .notJSON("a bracket closes nothing") }
        expectsKey = false
      case UInt8(ascii: ","):
        expectsKey = keys.isInObject
      case UInt8(ascii: "\""):
        let start = index + 1
        var end = start
        var (escaped, isPlain) = (false, true)
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
          if bytes[end] >= 0x80 { isPlain = false }
          if bytes[end] == UInt8(ascii: "\\") {
            escaped = true
            end += 1
            if end < bytes.count, bytes[end] == UInt8(ascii: "u") { isPlain = false }
          }
          end += 1
        }
        guard end < bytes.count else { throw .notJSON("a string does not end") }
        // A plain text needs no second look, except for keys of equal bytes.
        if isPlain, !escaped {
          if expectsKey { try keys.insert(start..<end, bytes) }
        } else if expectsKey || !isPlain {
          let text = escaped ? try unescape(bytes[start..<end]) : String(decoding: bytes[start..<end], as: UTF8.self)
          // Before anything compares it or hashes it.
          guard CombiningMarks.areBounded(in: text) else { throw .combiningMarks }
          if expectsKey { try keys.insert(text, bytes) }
        }
        expectsKey = false
        index = end
      default: break
      }
      index += 1
    }
    guard keys.depth == 0 else { throw .notJSON("it ends inside an object or array") }
  }

  /// The keys so far of the objects that are open, in one list. Few plain keys are compared byte by byte, which
  /// allocates nothing for an object. Many keys, and keys with escapes or beyond ASCII, go into a set.
  private struct OpenKeys {
    private struct Container {
      var isObject: Bool
      /// The index of its first key in ``plain``.
      var first: Int
      var texts: Set<String>?
    }

    /// How many keys of an object are compared one by one.
    private static let mostPlain = 16

    private var containers: [Container] = []
    private var plain: [Range<Int>] = []

    var depth: Int { containers.count }
    var isInObject: Bool { containers.last?.isObject ?? false }

    mutating func open(isObject: Bool) { containers.append(Container(isObject: isObject, first: plain.count)) }

    /// False when none is open.
    mutating func close() -> Bool {
      guard let container = containers.popLast() else { return false }
      plain.removeSubrange(container.first...)
      return true
    }

    /// Takes a key of ASCII without escapes.
    mutating func insert(_ key: Range<Int>, _ bytes: [UInt8]) throws(Problem) {
      guard let top = containers.indices.last else { return }
      guard containers[top].texts == nil, plain.count - containers[top].first < Self.mostPlain else {
        return try insert(String(decoding: bytes[key], as: UTF8.self), bytes)
      }
      for other in plain[containers[top].first...] where other.count == key.count {
        guard !bytes[other].elementsEqual(bytes[key]) else {
          throw .duplicateKey(String(decoding: bytes[key].prefix(40), as: UTF8.self))
        }
      }
      plain.append(key)
    }

    /// Takes a key with escapes or beyond ASCII, or one of many.
    mutating func insert(_ key: String, _ bytes: [UInt8]) throws(Problem) {
      guard let top = containers.indices.last else { return }
      if containers[top].texts == nil {
        containers[top].texts = Set(plain[containers[top].first...].map { String(decoding: bytes[$0], as: UTF8.self) })
      }
      guard containers[top].texts?.insert(key).inserted == true else { throw .duplicateKey(String(key.prefix(40))) }
    }
  }

  /// The text of a string literal with its escapes resolved (RFC 8259 section 7).
  private static func unescape(_ literal: ArraySlice<UInt8>) throws(Problem) -> String {
    var units: [UInt8] = []
    var index = literal.startIndex
    while index < literal.endIndex {
      guard literal[index] == UInt8(ascii: "\\"), index + 1 < literal.endIndex else {
        units.append(literal[index])
        index += 1
        continue
      }
      let letter = literal[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "t"): units.append(9)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "u"):
        var code = try hex(literal, &index)
        if (0xD800...0xDBFF).contains(code) {
          guard index + 1 < literal.endIndex, literal[index] == UInt8(ascii: "\\"),
            literal[index + 1] == UInt8(ascii: "u")
          else { throw .notJSON("a text has half a surrogate pair") }
          index += 2
          let low = try hex(literal, &index)
          guard (0xDC00...0xDFFF).contains(low) else { throw .notJSON("a text has half a surrogate pair") }
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .notJSON("a text has half a surrogate pair") }
        units.append(contentsOf: Array(String(Character(scalar)).utf8))
      default: units.append(letter)
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  private static func hex(_ literal: ArraySlice<UInt8>, _ index: inout Int) throws(Problem) -> UInt32 {
    guard index + 4 <= literal.endIndex, literal[index] != UInt8(ascii: "+"),
      let value = UInt32(String(decoding: literal[index..<index + 4], as: UTF8.self), radix: 16)
    else { throw .notJSON("an escape lacks its four hexadecimal digits") }
    index += 4
    return value
  }
}
