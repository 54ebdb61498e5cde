/// Reads the fields of a message that may be anybody's.
package struct ByteReader {
  private let bytes: [UInt8]
  package private(set) var offset = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Bytes that are left.
  package var remaining: Int { bytes.count - offset }

  package mutating func read<Value: FixedWidthInteger & UnsignedInteger>(_ type: Value.Type) throws(KeyMessageError)
    -> Value
  {
    let width = Value.bitWidth / 8
    guard remaining >= width else { throw .malformed }
    var value: Value = 0
    for index in offset..<(offset + width) { value = value << 8 | Value(bytes[index]) }
    offset += width
    return value
  }

  package mutating func read(count: Int) throws(KeyMessageError) -> [UInt8] {
    guard remaining >= count else { throw .malformed }
    offset += count
    return Array(bytes[(offset - count)..<offset])
  }

  /// A text of at most `limit` bytes behind its length in two; it must be UTF-8.
  package mutating func readText(limit: Int) throws(KeyMessageError) -> String {
    let count = Int(try read(UInt16.self))
    guard count <= limit, let text = String(validating: try read(count: count), as: UTF8.self) else {
      throw .malformed
    }
    return text
  }

  /// Throws where bytes are left: what is signed has one form only.
  package func finish() throws(KeyMessageError) { if remaining != 0 { throw .malformed } }
}
