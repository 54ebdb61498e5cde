import Glibc

/// A file that is being written, through a buffer of its own; remembers its first failure, and how far it came until
/// then. The written part can be put in order after a failure too: a full disk allows changes that need no more room.
struct OutputFile: ~Copyable {
  private let path: String
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  /// Bytes that the system has taken.
  private(set) var written: Int64 = 0
  private(set) var failure: MediaError?

  /// How much is gathered before the system is asked to write it.
  static let bufferSize = 65_536

  init(_ path: String) throws(MediaError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .cannotWrite(path, reason: "\(String(cString: strerror(errno))).") }
  }

  deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

  var isOpen: Bool { descriptor >= 0 }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    guard isOpen, failure == nil else { return }
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { flush() }
  }

  /// Hands what was gathered to the system.
  mutating func flush() {
    guard isOpen, failure == nil else { return }
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done) }
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        fail()
        break
      }
    }
    written += Int64(done)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Overwrites something that the system has taken before.
  mutating func patch(_ bytes: [UInt8], at offset: Int64) {
    guard isOpen, offset + Int64(bytes.count) <= written else { return }
    let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    // The reader of a pipe has the written part already.
    if count != bytes.count, count >= 0 || errno != ESPIPE { fail() }
  }

  /// Cuts off what a failure left unfinished behind `length`.
  mutating func cut(to length: Int64) {
    guard isOpen, length < written, ftruncate(descriptor, off_t(length)) == 0 else { return }
    written = length
  }

  mutating func close() {
    guard isOpen else { return }
    flush()
    if Glibc.close(descriptor) != 0 { fail() }
    descriptor = -1
  }

  private mutating func fail() {
    if failure == nil { failure = .cannotWrite(path, reason: "\(String(cString: strerror(errno))).") }
  }
}
