// Sessions by an application's id.
import OpenTok

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
