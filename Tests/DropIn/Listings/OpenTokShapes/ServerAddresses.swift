// The address in a session's settings is a URL, which may be missing.
import OpenTok

protocol Addressed: AnyObject {
  var apiURL: URL? { get set }
  var proxyURL: String? { get set }
}

extension OTSessionSettings: Addressed {}

enum Servers {
  static func settings(_ text: String) -> OTSessionSettings {
    let settings = OTSessionSettings()
    settings.apiURL = URL(string: text)
    return settings
  }
  static func host(_ settings: OTSessionSettings) -> String? {
    let address: URL? = settings.apiURL
    return address?.host
  }
}
