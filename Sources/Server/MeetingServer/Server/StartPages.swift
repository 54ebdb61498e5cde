import Glibc

/// The pages of the program that only its start needed.
public enum StartPages {
  /// Unmaps pages of the program and its libraries that only the start needed; returns how many bytes these mappings
  /// span. A page that is used again comes back from the page cache, at some microseconds for each 64 KiB. Most aren't:
  /// an idle server has 9 MiB resident instead of 30, and 15 once it has given out a page.
  ///
  /// Only mappings that can't be written and never were are touched, since dropping a private page would lose its
  /// contents. Call it once, when the server is ready; it takes some milliseconds.
  @discardableResult public static func release() -> Int {
    guard let file = fopen("/proc/self/smaps", "re") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4_096)
    var mapping: Range<UInt>?
    var released = 0
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let fields = text.split(whereSeparator: \.isWhitespace)
      switch fields.first {
      case "Anonymous:", "Swap:":
        if fields.dropFirst().first != "0" { mapping = nil }
      case "VmFlags:":
        // The last line of each mapping.
        guard let range = mapping, let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { continue }
        mapping = nil
        if madvise(start, range.count, MADV_DONTNEED) == 0 { released += range.count }
      case .some(let name) where !name.hasSuffix(":"): mapping = unwritableFile(fields)
      default: break
      }
    }
    return released
  }

  /// The addresses of a mapping, by the fields of its first line in `smaps` (proc_pid_maps(5)). Nil unless it is of a
  /// file, private and not writable.
  static func unwritableFile(_ fields: [Substring]) -> Range<UInt>? {
    guard fields.count >= 6, fields[1] == "r--p" || fields[1] == "r-xp", fields[5].hasPrefix("/") else { return nil }
    let ends = fields[0].split(separator: "-")
    guard ends.count == 2, let low = UInt(ends[0], radix: 16), let high = UInt(ends[1], radix: 16), low < high else {
      return nil
    }
    return low..<high
  }
}
