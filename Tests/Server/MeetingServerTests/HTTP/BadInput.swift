import Foundation

/// Input of hostile or broken clients, to whatever address.
enum BadInput {
  static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// A body with its headers; none is a good one anywhere.
  struct Body {
    var name: String
    var headers = "Content-Type: application/json\r\n"
    var bytes: [UInt8]

    init(_ name: String, _ text: String) {
      self.name = name
      bytes = Array(text.utf8)
    }

    init(_ name: String, headers: String, _ bytes: [UInt8]) {
      self.name = name
      self.headers = headers
      self.bytes = bytes
    }
  }

  static let bodies: [Body] = [
    Body("half an object", "{\"name\":\"x"), Body("a list", "[]"), Body("a text", "\"x\""), Body("a number", "1"),
    Body("null", "null"), Body("two values", "{} {}"), Body("no JSON", "name=x"), Body("a mark in front", "\u{FEFF}{}"),
    Body("nested lists", String(repeating: "[", count: 5_000)),
    Body("nested objects", String(repeating: "{\"a\":", count: 100) + "1" + String(repeating: "}", count: 100)),
    Body("a key twice", "{\"room\":\"a\",\"room\":\"b\"}"),
    Body("a key twice in other letters", "{\"room\":\"a\",\"\\u0072oom\":\"b\"}"),
    Body("an unknown field", "{\"nothingOfThisName\":1}"), Body("a zero byte", "{\"\\u0000\":\"\\u0000\"}"),
    Body("a number without measure", "{\"nothingOfThisName\":1e99999}"),
    Body("half a character", "{\"nothingOfThisName\":\"\\ud800\"}"),
    Body(
      "no UTF-8", headers: "Content-Type: application/json\r\n", Array("{\"a\":\"".utf8) + [0xC3, 0x28, 0x22, 0x7D]),
    Body("no text at all", headers: "Content-Type: application/json\r\n", (0...255).map { UInt8($0) }),
    Body("another type", headers: "Content-Type: text/plain\r\n", [0xFF]),
    Body("a type that cannot be", headers: "Content-Type: ;;;\r\n", [0xFF]),
    Body("no type", headers: "", [0xFF]),
    Body(
      "a field of a form twice", headers: "Content-Type: application/x-www-form-urlencoded\r\n",
      Array("Subject=a&location=&subject=b".utf8)),
    Body("a gzip bomb", headers: "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", bomb),
    Body("another encoding", headers: "Content-Type: application/json\r\nContent-Encoding: br, gzip\r\n", [1, 2, 3]),
  ]

  /// 16 MiB of zeros as a gzip stream of some 100 KiB would be: a literal, then copies of 258 bytes, in one block with
  /// fixed codes. Cut to what every address takes for a body.
  static let bomb: [UInt8] = {
    var out: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
    for _ in 0..<30_000 { bits += [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] }
    for start in stride(from: 0, to: bits.count - 8, by: 8) {
      out.append((0..<8).reduce(0) { $0 | bits[start + $1] << UInt8($1) })
    }
    return out
  }()

  /// Queries after a good path.
  static let queries = ["?nothingOfThisName=1", "?limit=1&limit=1", "?limit=-1", "?%ff=%ff", "?a=%c3%28"]

  /// Parts of a path, each in the place of a good one.
  static let segments = [
    "%ff", "%c3%28", "%2e%2e%2f%2e%2e%2fsecret.txt", "..%5c..%5csecret.txt", "%3Cscript%3E", "'%20OR%201=1--",
    String(repeating: "a", count: 3_000), String(repeating: "a/", count: 200), "%F0%9F%98%80", "%252e%252e", "-",
    "~;x=1",
  ]

  /// Requests that no address answers otherwise than so: method and rest of the request line, headers, status.
  static func malformed(_ path: String) -> [(request: String, status: Int)] {
    let host = "Host: localhost\r\n"
    return [
      ("GET \(path)%00a HTTP/1.1\r\n\(host)\r\n", 400), ("GET \(path)?a=%00 HTTP/1.1\r\n\(host)\r\n", 400),
      ("GET \(path)%z HTTP/1.1\r\n\(host)\r\n", 400), ("BREW \(path) HTTP/1.1\r\n\(host)\r\n", 400),
      ("GET \(path)?\(String(repeating: "a", count: 5_000)) HTTP/1.1\r\n\(host)\r\n", 414),
      ("POST \(path) HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
      ("POST \(path) HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n", 400),
      ("POST \(path) HTTP/1.1\r\n\(host)Content-Length: 999999999\r\n\r\n", 413),
      ("POST \(path) HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 411),
      ("GET \(path) HTTP/1.1\r\n\(host)X-Long: \(String(repeating: "x", count: 17_000))\r\n\r\n", 400),
    ]
  }

  /// A request with a body.
  static func request(_ method: String, _ path: String, headers: String = "", body: [UInt8]? = nil) -> [UInt8] {
    let length = body.map { "Content-Length: \($0.count)\r\n" } ?? ""
    return Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(headers)\(length)\r\n".utf8)
      + (body ?? [])
  }
}
