import CWebSockets
import Glibc

/// A response on its way out, piece by piece.
final class HTTPOutput {
  private enum Source {
    case none
    case bytes([UInt8], offset: Int)
    case file(Int32, remaining: Int)
  }

  private var head: [UInt8]?
  private var source: Source
  /// How many bytes were handed to the socket.
  private(set) var progress = 0

  init(_ response: HTTPResponse, isHead: Bool, close: Bool) {
    var response = response
    var length = 0
    source = .none
    switch response.body {
    case .bytes(let bytes):
      length = bytes.count
      source = .bytes(bytes, offset: 0)
    case .file(let path):
      let (fd, size) = Self.open(path)
      if fd >= 0 {
        length = size
        source = .file(fd, remaining: size)
      } else {
        response = .text("There is no such file.", status: 404)
        if case .bytes(let bytes) = response.body {
          length = bytes.count
          source = .bytes(bytes, offset: 0)
        }
      }
    }
    let status = (200...599).contains(response.status) ? response.status : 500
    var text = "HTTP/1.1 \(status) \(HTTPResponse.phrase(status))\r\n"
    for (name, value) in response.headers.fields {
      switch name.lowercased() {
      case "content-length", "connection", "transfer-encoding", "date": continue
      default: text += "\(name): \(value)\r\n"
      }
    }
    if status != 204 && status != 304 { text += "Content-Length: \(length)\r\n" }
    text += "Date: \(Self.date())\r\n"
    text += close ? "Connection: close\r\n\r\n" : "Connection: keep-alive\r\n\r\n"
    head = Array(text.utf8)
    if isHead || status == 204 || status == 304 {
      self.close()
    }
  }

  /// Whether everything is written.
  var isDone: Bool {
    if head != nil { return false }
    switch source {
    case .none: return true
    case .bytes(let bytes, let offset): return offset >= bytes.count
    case .file(_, let remaining): return remaining <= 0
    }
  }

  /// All of it at once, of an answer that is in memory.
  var whole: [UInt8] {
    guard case .bytes(let bytes, _) = source else { return head ?? [] }
    return (head ?? []) + bytes
  }

  /// Writes the next piece; false when the connection is dead, or the file has become shorter.
  func writePiece(_ service: WireService, _ wsi: OpaquePointer) -> Bool {
    if let bytes = head {
      head = nil
      progress += bytes.count
      return unsafe service.write(wsi, kind: PARLEY_WS_HTTP_HEADERS, whole: bytes)
    }
    switch source {
    case .none: return true
    case .bytes(let bytes, let offset):
      let count = min(service.pieceSize, bytes.count - offset)
      source = .bytes(bytes, offset: offset + count)
      progress += count
      return unsafe service.write(wsi, kind: PARLEY_WS_HTTP, count: count) { span in
        var index = 0
        while index < count {
          span[index] = bytes[offset + index]
          index += 1
        }
      }
    case .file(let fd, let remaining):
      let count = min(service.pieceSize, remaining)
      var complete = true
      let written = unsafe service.write(wsi, kind: PARLEY_WS_HTTP, count: count) { span in
        // The pointer and count are the span's own.
        unsafe span.withUnsafeMutableBytes { buffer in
          var filled = 0
          while filled < count {
            let got = unsafe Glibc.read(fd, buffer.baseAddress.map { unsafe $0 + filled }, count - filled)
            if got <= 0 {
              complete = false
              break
            }
            filled += got
          }
        }
      }
      source = .file(fd, remaining: remaining - count)
      progress += count
      return written && complete
    }
  }

  /// Lets go of the file.
  func close() {
    if case .file(let fd, _) = source { _ = Glibc.close(fd) }
    source = .none
  }

  private static func open(_ path: String) -> (Int32, Int) {
    let fd = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard fd >= 0 else { return (-1, 0) }
    var status = stat()
    // `status` is a local variable that the call fills.
    guard unsafe fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= 0 else {
      _ = Glibc.close(fd)
      return (-1, 0)
    }
    return (fd, Int(status.st_size))
  }

  /// The time as HTTP writes it (RFC 9110 section 5.6.7).
  private static func date() -> String {
    var now = time(nil)
    var parts = unsafe tm()
    // Both are local variables.
    _ = unsafe gmtime_r(&now, &parts)
    // Numbers only: the pointer inside the structure is not looked at.
    let (weekday, monthIndex, year) = unsafe (Int(parts.tm_wday), Int(parts.tm_mon), parts.tm_year + 1_900)
    let (dayOfMonth, hour, minute, second) = unsafe (parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ n: Int32) -> String { n < 10 ? "0\(n)" : "\(n)" }
    return "\(days[weekday % 7]), \(two(dayOfMonth)) \(months[monthIndex % 12]) \(year) "
      + "\(two(hour)):\(two(minute)):\(two(second)) GMT"
  }
}
