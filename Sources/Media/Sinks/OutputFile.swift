import Glibc

/// A file that is being written; remembers its first failure.
struct OutputFile: ~Copyable {
  private let path: String
  private var file: UnsafeMutablePointer<FILE>?
  private(set) var failure: MediaError?

  init(_ path: String) throws(MediaError) {
    self.path = path
    guard let file = fopen(path, "we") else {
      throw .cannotWrite(path, reason: "\(String(cString: strerror(errno))).")
    }
    self.file = file
  }

  deinit { if let file { fclose(file) } }

  var isOpen: Bool { file != nil }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    guard let file, failure == nil, let base = bytes.baseAddress else { return }
    if fwrite(base, 1, bytes.count, file) != bytes.count { fail() }
  }

  /// Overwrites something at the beginning.
  mutating func patch(_ bytes: [UInt8], at offset: Int) {
    guard let file, failure == nil else { return }
    if fseek(file, offset, SEEK_SET) != 0 { fail() }
    bytes.withUnsafeBytes { write($0) }
  }

  mutating func close() {
    guard let file else { return }
    if fclose(file) != 0 { fail() }
    self.file = nil
  }

  private mutating func fail() {
    if failure == nil { failure = .cannotWrite(path, reason: "\(String(cString: strerror(errno))).") }
  }
}
