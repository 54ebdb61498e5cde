import Signaling
import Transport

/// A chat file as it is served: never as anything that a browser would run.
enum FileAnswer {
  /// The answer with the file at `path`.
  static func response(_ file: ChatFile, path: String) -> HTTPResponse {
    HTTPResponse(
      headers: [
        "Content-Type": file.type == "text/plain" ? "text/plain; charset=utf-8" : file.type,
        "Content-Disposition": disposition(file.isPicture ? "inline" : "attachment", name: file.name),
        // Should it be opened as a page all the same: no script, no form, an origin of its own.
        "Content-Security-Policy": "default-src 'none'; img-src 'self'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
        // Deleted is deleted, also in caches.
        "Cache-Control": "private, no-store",
      ], file: path)
  }

  /// The header's value with the name in both spellings (RFC 6266 section 5).
  static func disposition(_ kind: String, name: String) -> String {
    let plain = String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { $0.isASCII && $0.value >= 0x20 && $0 != "\"" && $0 != "\\" && $0 != "%" ? $0 : "_" }))
    var encoded = ""
    for byte in name.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95: encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
  }
}
