import FoundationEssentials
import Meetings
import Transport

/// The refusals of the OpenTok REST API.
extension Refusal {
  static let projectCredential = Refusal(
    403, "badCredential",
    "The API key, its secret or the JWT is not good here: expected X-OPENTOK-AUTH with a JWT that the project's secret "
      + "has signed (HS256, iss the API key, exp at most five minutes ahead), or X-TB-PARTNER-AUTH with key:secret. "
      + "The clocks may differ too.")
  static let wrongProject = Refusal(
    403, "wrongProject", "The API key in the address is not the one of the credential.")
  static let noSession = Refusal(404, "noSuchSession", "There is no such session of this project.")
  static let noConnection = Refusal(
    404, "noSuchConnection", "There is no such connection in the session that could be meant.")
  static let nobodyConnected = Refusal(404, "nobodyConnected", "Nobody is connected to the session.")
  static let noStream = Refusal(404, "noSuchStream", "There is no such stream in the session.")

  static func badBody(_ why: String) -> Refusal { Refusal(400, "badBody", why) }
}

extension HTTPResponse {
  /// A JSON answer of the OpenTok REST API. The content type has no character set: one of the SDKs compares the whole
  /// header.
  static func openTok(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    var response = json(value, status: status)
    response.headers["Content-Type"] = "application/json"
    return response
  }

  private struct Problem: Encodable {
    var code: Int
    var error: String
    var message: String
    var description: String
    var limit: String?
    var setting: String?
  }

  /// An error as the server SDKs read it.
  static func openTok(refusal: Refusal) -> HTTPResponse {
    openTok(
      Problem(
        code: refusal.status, error: refusal.code, message: refusal.message, description: refusal.message,
        limit: refusal.limit?.rawValue, setting: refusal.limit?.setting), status: refusal.status)
  }

  /// The same in XML, for calls whose answers are XML.
  static func openTokXML(refusal: Refusal) -> HTTPResponse {
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?><errorPayload><code>\(refusal.status)</code>\
      <error>\(refusal.code)</error><message>\(escape(refusal.message))</message></errorPayload>
      """
    var response = HTTPResponse.text(text, status: refusal.status, contentType: "text/xml; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response
  }
}
