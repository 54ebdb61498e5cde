/// The type of a file, by its first bytes. A name says what somebody wants it to be taken for.
public enum FileType {
  /// How many of the first bytes are looked at.
  public static let examined = 4_096

  /// An unknown value that isn't text.
  public static let unknown = "application/octet-stream"

  /// The media type of a file that begins with `head`. Markup and scripts that a browser could run have no type of
  /// their own: they are ``unknown``, and so are only ever saved.
  public static func of(_ head: [UInt8]) -> String {
    let head = Array(head.prefix(examined))
    if let known = signatures.first(where: { begins(head, with: $0.0, at: $0.1) }) { return known.2 }
    if begins(head, with: "RIFF") {
      if begins(head, with: "WEBP", at: 8) { return "image/webp" }
      if begins(head, with: "WAVE", at: 8) { return "audio/wav" }
      if begins(head, with: "AVI ", at: 8) { return "video/x-msvideo" }
    }
    if begins(head, with: "ftyp", at: 4) { return begins(head, with: "qt  ", at: 8) ? "video/quicktime" : "video/mp4" }
    return isPlainText(head) ? "text/plain" : unknown
  }

  /// Beginnings, where they stand, and what they mean.
  private static let signatures: [([UInt8], Int, String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], 0, "image/png"),
    ([0xFF, 0xD8, 0xFF], 0, "image/jpeg"),
    (Array("GIF87a".utf8), 0, "image/gif"),
    (Array("GIF89a".utf8), 0, "image/gif"),
    (Array("%PDF-".utf8), 0, "application/pdf"),
    ([0x50, 0x4B, 0x03, 0x04], 0, "application/zip"),
    ([0x1F, 0x8B], 0, "application/gzip"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], 0, "application/x-xz"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], 0, "application/x-7z-compressed"),
    (Array("OggS".utf8), 0, "application/ogg"),
    ([0x1A, 0x45, 0xDF, 0xA3], 0, "video/webm"),
    (Array("ID3".utf8), 0, "audio/mpeg"),
    (Array("fLaC".utf8), 0, "audio/flac"),
    ([0x7F, 0x45, 0x4C, 0x46], 0, "application/x-executable"),
    (Array("MZ".utf8), 0, "application/x-executable"),
    ([0xCF, 0xFA, 0xED, 0xFE], 0, "application/x-executable"),
    (Array("#!".utf8), 0, "application/x-executable"),
  ]

  private static func begins(_ head: [UInt8], with bytes: [UInt8], at offset: Int = 0) -> Bool {
    head.count >= offset + bytes.count && head[offset..<(offset + bytes.count)].elementsEqual(bytes)
  }

  private static func begins(_ head: [UInt8], with text: String, at offset: Int = 0) -> Bool {
    begins(head, with: Array(text.utf8), at: offset)
  }

  /// Whether it is UTF-8 without control characters and without anything that looks like markup.
  private static func isPlainText(_ head: [UInt8]) -> Bool {
    guard !head.isEmpty, !head.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) }) else {
      return false
    }
    // The last character may be cut in two.
    let isWhole = (0...3).contains { cut in
      cut < head.count && String(validating: head.dropLast(cut), as: UTF8.self) != nil
    }
    guard isWhole else { return false }
    return !zip(head, head.dropFirst()).contains { byte, next in
      byte == UInt8(ascii: "<")
        && (next == UInt8(ascii: "!") || next == UInt8(ascii: "?")
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next | 0x20))
    }
  }
}
