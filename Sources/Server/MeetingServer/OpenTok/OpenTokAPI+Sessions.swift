import Basics
import FoundationEssentials
import Meetings
import Synchronization
import Transport

/// `POST /session/create`, also as `/hl/session/create`.
extension OpenTokAPI {
  /// Makes a session. Its id contains everything, so nothing is stored before somebody joins, and it never ends.
  func createSession(_ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    if request.method == "GET", isDevelopment {
      // People with the first samples open this in a browser to get an id.
      return Self.answer(OpenTokSession.make(apiKey: try await defaultKey(), now: Date()), for: request)
    }
    try Self.require("POST", of: request)
    let tenant = try await tenant(of: request)
    let form = try Self.form(request)
    if let key = form["api_key"], key != tenant.apiKey { throw .wrongProject }
    let options = try Self.options(form)
    if options.isArchived {
      log.info("opentok.notRecorded", ["tenant": tenant.name, "reason": "this version records no sessions"])
    }
    let session = OpenTokSession.make(apiKey: tenant.apiKey, options: options, now: Date())
    try await audit("session.create", session.text, tenant)
    return Self.answer(session, for: request)
  }

  private static func form(_ request: HTTPRequest) throws(Refusal) -> FormBody {
    try request.requirePlainBody()
    if !request.body.isEmpty, let media = request.mediaType, media != "application/x-www-form-urlencoded" {
      throw Refusal(415, "badContentType", "Send the body as application/x-www-form-urlencoded.")
    }
    do throws(Refusal) { return try FormBody(of: request) } catch { throw .badBody(error.message) }
  }

  private static func options(_ form: FormBody) throws(Refusal) -> OpenTokSession.Options {
    func word(_ name: String, _ words: [String: Bool]) throws(Refusal) -> Bool {
      guard let text = form[name] else { return false }
      guard let value = words[text] else {
        throw .badBody("\(name) is expected to be \(words.keys.sorted().joined(separator: " or ")).")
      }
      return value
    }
    var options = OpenTokSession.Options()
    options.isRelayed = try word("p2p.preference", ["enabled": true, "disabled": false])
    options.isArchived = try word("archiveMode", ["always": true, "manual": false])
    options.isEncrypted = try word("e2ee", ["true": true, "True": true, "false": false, "False": false])
    if let location = form["location"] {
      guard let address = IPAddress(location), address.isIPv4 else {
        throw .badBody("location is expected to be an IPv4 address.")
      }
      options.location = address.text
    }
    guard !options.isArchived || !options.isRelayed else {
      throw .badBody("archiveMode always needs p2p.preference disabled.")
    }
    guard !options.isEncrypted || !options.isRelayed else { throw .badBody("e2ee needs p2p.preference disabled.") }
    guard !options.isEncrypted || !options.isArchived else {
      throw .encrypted("Archives are")
    }
    if let name = form["archiveName"] {
      guard options.isArchived else { throw .badBody("archiveName needs archiveMode always.") }
      guard (1...80).contains(name.unicodeScalars.count) else { throw .badBody("archiveName has 1 to 80 characters.") }
    }
    if let size = form["archiveResolution"] {
      guard options.isArchived else { throw .badBody("archiveResolution needs archiveMode always.") }
      let sizes = ["640x480", "480x640", "1280x720", "720x1280", "1920x1080", "1080x1920"]
      guard sizes.contains(size) else {
        throw .badBody("archiveResolution is expected to be one of \(sizes.joined(separator: ", ")).")
      }
    }
    return options
  }

  private static func answer(_ session: OpenTokSession, for request: HTTPRequest) -> HTTPResponse {
    let time = Date().formatted(.iso8601)
    if wantsJSON(request) {
      let unused = [
        "session_status", "status_invalid", "media_server_hostname", "messaging_server_url", "messaging_url",
        "symphony_address", "properties", "ice_server", "session_segment_id", "ice_servers",
        "ice_credential_expiration",
      ]
      var fields: [String: String?] = [
        "session_id": session.text, "project_id": session.apiKey, "partner_id": session.apiKey, "create_dt": time,
      ]
      for name in unused { fields.updateValue(nil, forKey: name) }
      return .openTok([fields])
    }
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?><sessions><Session><session_id>\(session.text)</session_id>\
      <partner_id>\(HTTPResponse.escape(session.apiKey))</partner_id><create_dt>\(time)</create_dt></Session></sessions>
      """
    var response = HTTPResponse.text(text, contentType: "text/xml; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response
  }

  // MARK: Development

  /// The one session of ``OpenTokAPI/sampleSession(_:)``.
  final class SampleSession: Sendable {
    private let made = Mutex<OpenTokSession?>(nil)

    func session(apiKey: String) -> OpenTokSession {
      made.withLock { session in
        let known = session ?? OpenTokSession.make(apiKey: apiKey, now: Date())
        session = known
        return known
      }
    }
  }

  /// `GET /session`, in development only: what the servers of tutorials answer, with a word for a token. Everybody gets
  /// the same session.
  func sampleSession(_ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    try Self.require("GET", "HEAD", of: request)
    let session = sample.session(apiKey: try await defaultKey())
    return HTTPResponse.openTok(["apiKey": session.apiKey, "sessionId": session.text, "token": "devtoken"])
      .withCrossOriginAccess()
  }

  private func defaultKey() async throws(Refusal) -> String {
    do throws(MeetingStoreError) {
      return try await store.defaultTenant(now: Date()).apiKey
    } catch {
      throw Refusal(error)
    }
  }
}
