import Transport

/// The admin pages, files of the folder `admin` of the browser client. They have no data: that comes from the API,
/// which authorises each request.
struct AdminPages: Sendable {
  let files: StaticFiles

  /// Files of the meeting page that the admin pages use too, by the name that they ask for. This port serves no others
  /// of the meeting page.
  private static let shared = [
    "palette.css": "assets/css/palette.css", "icon.svg": "assets/favicon.svg", "text.js": "sdk/text.js",
    "load-failure.js": "assets/js/load-failure.js",
  ]

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

  /// The answer to a request for `/admin` or a file below it; nil when there is none.
  func answer(_ request: HTTPRequest) -> HTTPResponse? {
    let rest = request.path.split(separator: "/").dropFirst()
    return file(rest.isEmpty ? "index.html" : rest.joined(separator: "/"), request)
  }

  /// A file of the folder, or one that is shared.
  func file(_ name: String, _ request: HTTPRequest) -> HTTPResponse? {
    guard let file = files.file(Self.shared[name] ?? "admin/" + name) else { return nil }
    var headers: HTTPHeaders = [
      "ETag": file.entityTag, "Cache-Control": "no-cache", "Content-Security-Policy": Self.policy,
      "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    ]
    if let known = request.headers["if-none-match"], known.contains(file.entityTag) {
      return HTTPResponse(status: 304, headers: headers)
    }
    headers["Content-Type"] = file.contentType
    return HTTPResponse(headers: headers, body: file.bytes)
  }
}
