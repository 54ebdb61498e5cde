internal import COpenSSL

/// The OpenSSL "BIO" type through which an handshake's records pass: one write is one datagram, one read is one
/// record. (A memory BIO would join datagrams into a stream and lose their borders.)
///
/// The BIO's data pointer is the ``DTLSHandshake``, which owns the BIO through its SSL object and outlives it.
enum DTLSDatagramBIO {
  /// The method table. Made once for the process and never changed afterwards, so sharing it is safe.
  nonisolated(unsafe) private static let method: OpaquePointer? = unsafe makeMethod()

  /// A new BIO that belongs to `handshake`; nil when OpenSSL has no memory.
  @unsafe static func make(for handshake: DTLSHandshake) -> OpaquePointer? {
    guard let method = unsafe method, let bio = unsafe BIO_new(method) else { return nil }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(handshake).toOpaque())
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  private static func makeMethod() -> OpaquePointer? {
    // OpenSSL calls these with the BIO that `make` set up, with buffers of the length it says, and only from within
    // calls that the handshake made.
    guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagram") else { return nil }
    unsafe BIO_meth_set_write(method) { bio, bytes, length in
      guard let handshake = unsafe DTLSDatagramBIO.owner(of: bio), let bytes = unsafe bytes, length > 0
      else { return -1 }
      let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(length))
      handshake.wrote(unsafe [UInt8](raw))
      return length
    }
    unsafe BIO_meth_set_read(method) { bio, bytes, length in
      unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
      guard let handshake = unsafe DTLSDatagramBIO.owner(of: bio), let bytes = unsafe bytes, length > 0,
        let record = handshake.takeInbound()
      else {
        unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
      }
      let count = min(record.count, Int(length))
      unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count).copyBytes(from: record.prefix(count))
      return Int32(truncatingIfNeeded: count)
    }
    unsafe BIO_meth_set_ctrl(method) { bio, command, _, argument in
      guard let handshake = unsafe DTLSDatagramBIO.owner(of: bio) else { return 0 }
      switch command {
      case BIO_CTRL_FLUSH: return 1
      case BIO_CTRL_DGRAM_QUERY_MTU, BIO_CTRL_DGRAM_GET_FALLBACK_MTU: return CLong(handshake.mtu)
      case BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT:
        // The argument is a timeval for the length of this call; zero says that the timer stopped.
        if let time = unsafe argument?.assumingMemoryBound(to: timeval.self).pointee,
          time.tv_sec == 0, time.tv_usec == 0
        {
          handshake.flightAnswered()
        }
        return 1
      default: return 0
      }
    }
    return unsafe method
  }

  @unsafe private static func owner(of bio: OpaquePointer?) -> DTLSHandshake? {
    guard let data = unsafe BIO_get_data(bio) else { return nil }
    return unsafe Unmanaged<DTLSHandshake>.fromOpaque(data).takeUnretainedValue()
  }
}
