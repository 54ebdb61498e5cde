/// An answer of ``HTTPServer``. `Content-Length`, `Date` and `Connection` are the server's to add.
public struct HTTPResponse: Sendable {
  /// The source of the body.
  public enum Body: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// A file, read piece by piece as the client takes it; an unreadable one turns the answer into 404.
    case file(path: String)
  }

  /// The status code, 200 to 599.
  public var status: Int
  public var headers: HTTPHeaders
  /// The body; not sent for `HEAD`, 204 and 304.
  public var body: Body

  /// A response with bytes.
  public init(status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  /// A response with a file's contents.
  public init(status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), file path: String) {
    self.status = status
    self.headers = headers
    self.body = .file(path: path)
  }

  /// A response with text (`text/plain` unless another type is given).
  public static func text(
    _ text: String, status: Int = 200, contentType: String = "text/plain; charset=utf-8"
  ) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Content-Type": contentType], body: Array(text.utf8))
  }

  /// A refusal by the transport itself, in the form that the endpoints use too: JSON with a sentence and a stable code.
  /// Neither may hold a quotation mark or a backslash.
  static func refusal(_ sentence: String, status: Int, code: String) -> HTTPResponse {
    .text(
      "{\"Error\":\"\(sentence)\",\"code\":\"\(code)\"}", status: status,
      contentType: "application/json; charset=utf-8")
  }

  /// The standard phrase of a status code (RFC 9110 section 15).
  static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 421: "Misdirected Request"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 507: "Insufficient Storage"
    default: "Status"
    }
  }
}
