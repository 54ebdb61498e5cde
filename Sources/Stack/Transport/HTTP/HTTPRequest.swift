public import Basics

/// A request that an ``HTTPServer`` has received whole.
public struct HTTPRequest: Sendable {
  /// The method in capitals: `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`.
  public var method: String
  /// The path, percent-decoded, with `.`, `..` and repeated slashes resolved; it starts with `/` and has no control
  /// characters.
  public var path: String
  /// The query without its `?`, percent-encoded again in one spelling (every byte but letters, digits and `-._~` is
  /// encoded, spaces as `%20`); nil when there was none.
  public var query: String?
  /// The header fields, names in lower case.
  public var headers: HTTPHeaders
  /// The body, at most the server's limit.
  public var body: [UInt8]
  public var remote: TransportAddress
  /// The address of this machine that the request came to.
  public var local: TransportAddress
  /// Whether it came over TLS.
  public var isTLS: Bool

  /// A request from its parts, as tests and other interfaces make it.
  public init(
    method: String, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
    remote: TransportAddress, local: TransportAddress, isTLS: Bool = false
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.remote = remote
    self.local = local
    self.isTLS = isTLS
  }
}
