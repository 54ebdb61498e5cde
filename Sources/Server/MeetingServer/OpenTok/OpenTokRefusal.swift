import FoundationEssentials
import Meetings
import Transport

/// An error answer of the OpenTok REST API, in the form that its server SDKs read.
struct OpenTokRefusal: Error, Sendable {
  var status: Int
  /// The stable code.
  var code: String
  /// What happened and what to do, as sentences.
  var message: String
  /// The methods that the address takes, where that was the trouble.
  var allowed: String?
  /// The limit that is reached, where one is.
  var limit: LimitReached.Limit?

  init(
    _ status: Int, _ code: String, _ message: String, allowed: String? = nil, limit: LimitReached.Limit? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.allowed = allowed
    self.limit = limit
  }

  /// The answer to a store's failure.
  init(_ error: MeetingStoreError) {
    let refusal = Refusal(error)
    self.init(refusal.status, refusal.code, refusal.message, limit: refusal.limit)
  }

  static let credential = OpenTokRefusal(
    403, "badCredential",
    "The API key, its secret or the JWT is not good here: expected X-OPENTOK-AUTH with a JWT that the project's secret has signed (HS256, iss the "
      + "API key, exp at most five minutes ahead), or X-TB-PARTNER-AUTH with key:secret. The clocks may differ too.")
  static let wrongProject = OpenTokRefusal(
    403, "wrongProject", "The API key in the address is not the one of the credential.")
  static let noSession = OpenTokRefusal(404, "noSuchSession", "There is no such session of this project.")
  static let noConnection = OpenTokRefusal(
    404, "noSuchConnection", "There is no such connection in the session that could be meant.")
  static let nobody = OpenTokRefusal(404, "nobodyConnected", "Nobody is connected to the session.")
  static let noStream = OpenTokRefusal(404, "noSuchStream", "There is no such stream in the session.")
  static let nothing = OpenTokRefusal(404, "notFound", "There is nothing at this address.")

  static func body(_ why: String) -> OpenTokRefusal { OpenTokRefusal(400, "badBody", why) }

  static func method(_ allowed: String) -> OpenTokRefusal {
    OpenTokRefusal(405, "methodNotAllowed", "Send \(allowed) to this address.", allowed: allowed)
  }

  private struct Answer: Encodable {
    var code: Int
    var error: String
    var message: String
    var description: String
    var limit: String?
    var setting: String?
  }

  /// The answer, as JSON or as XML.
  func response(asXML: Bool = false) -> HTTPResponse {
    var response: HTTPResponse
    if asXML {
      let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?><errorPayload><code>\(status)</code><error>\(code)</error>\
        <message>\(HTTPResponse.escape(message))</message></errorPayload>
        """
      response = .text(text, status: status, contentType: "text/xml; charset=utf-8")
      response.headers["Cache-Control"] = "no-store"
    } else {
      response = .openTok(
        Answer(
          code: status, error: code, message: message, description: message, limit: limit?.rawValue,
          setting: limit?.setting), status: status)
    }
    if let allowed { response.headers["Allow"] = allowed }
    return response
  }
}

extension HTTPResponse {
  /// A JSON answer of the OpenTok REST API. The content type has no character set: one of the SDKs compares the whole header.
  static func openTok(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    var response = json(value, status: status)
    response.headers["Content-Type"] = "application/json"
    return response
  }
}
