/// Writes the fields of a message, numbers in network order.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ value: some FixedWidthInteger & UnsignedInteger) {
    var shift = value.bitWidth - 8
    while shift >= 0 {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      shift -= 8
    }
  }

  package mutating func write(_ more: [UInt8]) { bytes += more }

  package mutating func write(_ more: Span<UInt8>) { for index in more.indices { bytes.append(more[index]) } }

  /// Writes a text behind its length in two bytes. Callers have bounded it.
  package mutating func write(text: String) {
    let utf8 = Array(text.utf8)
    write(UInt16(truncatingIfNeeded: utf8.count))
    bytes += utf8
  }
}
