// Sessions by an application's id.
import OpenTok

/// An initialiser that may give nil overrides none that never does.
class ApplicationSession: OTSession {
  override init?(applicationId: String, sessionId: String, delegate: OTSessionDelegate?) {
    super.init(applicationId: applicationId, sessionId: sessionId, delegate: delegate, settings: nil)
  }
}

enum Applications {
  static func plain(_ delegate: OTSessionDelegate?) -> OTSession? {
    OTSession(applicationId: "app", sessionId: "room", delegate: delegate)
  }
  static func tuned(_ delegate: OTSessionDelegate?) -> OTSession? {
    let settings = OTSessionSettings()
    settings.apiURL = URL(string: "https://meet.example.com")
    return OTSession(applicationId: "app", sessionId: "room", delegate: delegate, settings: settings)
  }
}
