import CWebSockets

/// Whether a client masks its frames, as it has to (RFC 6455 section 5.1): the library accepts those without a mask and
/// does not say so.
///
/// It goes by the number of bytes that the kernel has seen read: masked frames are four bytes longer each. More bytes
/// than that prove nothing, since the library reads ahead; fewer do. Only without TLS, where the bytes on the
/// connection are those of the frames.
struct MaskCheck {
  private let descriptor: Int32
  private let start: Int64
  private var expected: Int64 = 0
  private var rest = 0

  /// Counts from now on; nil where the kernel does not count.
  init?(descriptor: Int32) {
    start = parley_tcp_bytes_read(descriptor)
    if start < 0 { return nil }
    self.descriptor = descriptor
  }

  /// Takes a piece of a frame's payload, of which `remaining` bytes are still to come; false when it was not masked.
  mutating func take(piece: Int, remaining: Int) -> Bool {
    // Longer ones are refused for it.
    guard piece > 0, remaining <= 1 << 40 else { return true }
    if rest == 0 {
      let length = piece + remaining
      expected += Int64(length > 65_535 ? 14 : length > 125 ? 8 : 6)
    }
    expected += Int64(piece)
    rest = remaining
    let read = parley_tcp_bytes_read(descriptor)
    return read < 0 || read - start >= expected
  }
}
