import Glibc

/// The frames of an IVF file: 32 bytes of header, then each frame behind its length (4 bytes) and time (8 bytes).
enum IVFFile {
  static func frames(of path: String) -> [[UInt8]]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
    guard bytes.count > 32, bytes.starts(with: Array("DKIF".utf8)) else { return nil }
    var frames: [[UInt8]] = []
    var offset = 32
    while offset + 12 <= bytes.count {
      let size = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
      guard size <= bytes.count - offset - 12 else { return nil }
      frames.append(Array(bytes[(offset + 12)..<(offset + 12 + size)]))
      offset += 12 + size
    }
    return frames
  }
}
