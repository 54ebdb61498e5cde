import FoundationEssentials
import Transport

extension HTTPResponse {
  /// A JSON answer that nobody keeps: most contain tokens or states of the moment.
  static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    guard let data = try? encoder.encode(value) else { return .text("The answer cannot be written.", status: 500) }
    return HTTPResponse(
      status: status, headers: ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"],
      body: [UInt8](data))
  }

  /// An error, in the form that its reader understands.
  static func refusal(_ refusal: Refusal, _ form: Refusal.Form = .parley(asPage: false)) -> HTTPResponse {
    var response =
      switch form {
      case .parley(asPage: false): json(ErrorAnswer(refusal), status: refusal.status)
      case .parley(asPage: true):
        notice(
          title: "This does not work", text: refusal.message, status: refusal.status,
          actions: [("To the start page", "/")])
      case .openTok: openTok(refusal: refusal)
      case .openTokXML: openTokXML(refusal: refusal)
      }
    if let seconds = refusal.seconds { response.headers["Retry-After"] = String(seconds) }
    if !refusal.allowed.isEmpty { response.headers["Allow"] = refusal.allowed.joined(separator: ", ") }
    return response
  }

  /// A page for people with a sentence and links.
  static func notice(
    title: String, text: String, status: Int = 200, actions: [(text: String, address: String)]
  ) -> HTTPResponse {
    let links = actions.map { "<p><a href=\"\(escape($0.address))\">\(escape($0.text))</a></p>" }.joined()
    let text = """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Parley</title><link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/assets/css/palette.css"><link rel="stylesheet" href="/assets/css/base.css"></head>
      <body><main class="notice-page"><div class="notice"><h1>\(escape(title))</h1>
      <p>\(escape(text))</p>\(links)</div></main></body>
      </html>

      """
    var response = HTTPResponse.text(text, status: status, contentType: "text/html; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    for (name, value) in SecurityHeaders.page { response.headers[name] = value }
    return response
  }

  /// Text made safe for HTML. A quote with an accent behind it is one `Character`, and ends an attribute all the same:
  /// so by scalars.
  static func escape(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { out, scalar in
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      default: out.unicodeScalars.append(scalar)
      }
    }
  }

  /// Lets pages of any origin read the answer. Not for answers that depend on a cookie, which would give them away.
  func withCrossOriginAccess() -> HTTPResponse {
    var copy = self
    copy.headers["Access-Control-Allow-Origin"] = "*"
    return copy
  }
}
