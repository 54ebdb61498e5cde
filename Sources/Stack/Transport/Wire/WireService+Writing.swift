import CWebSockets

/// Writing over the library, on the service thread.
extension WireService {
  /// Writes up to ``pieceSize`` bytes that `fill` puts into the scratch memory; false when the connection is dead.
  func write(_ wsi: OpaquePointer, kind: parley_ws_kind, count: Int, fill: (inout MutableSpan<UInt8>) -> Void) -> Bool {
    let padding = parley_ws_padding()
    guard count <= pieceSize else { return false }
    // The scratch has `padding` bytes in front of the piece and more than `count` behind.
    let piece = unsafe UnsafeMutableBufferPointer(start: scratch + padding, count: count)
    var span = unsafe piece.mutableSpan
    fill(&span)
    return unsafe parley_ws_write(wsi, scratch + padding, count, Int32(kind.rawValue)) >= 0
  }

  /// Writes one WebSocket message or an HTTP head of any length; false when the connection is dead.
  func write(_ wsi: OpaquePointer, kind: parley_ws_kind, whole bytes: [UInt8]) -> Bool {
    if bytes.count <= pieceSize {
      return unsafe write(wsi, kind: kind, count: bytes.count) { span in
        var index = 0
        while index < span.count {
          span[index] = bytes[index]
          index += 1
        }
      }
    }
    let padding = parley_ws_padding()
    var padded = [UInt8](repeating: 0, count: padding)
    padded.reserveCapacity(padding + bytes.count + 16)
    padded += bytes
    // `padding` bytes in front, `bytes.count` behind.
    return unsafe padded.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return false }
      return unsafe parley_ws_write(wsi, base + padding, bytes.count, Int32(kind.rawValue)) >= 0
    }
  }
}
