import Foundation

/// The app's settings: the defaults here, and over them the changes of the settings screen, which `UserDefaults` keeps.
/// Next to each is its name in the sample's `Info.plist`.
enum Settings {
  /// The server's address: the only line that names it.
  static let server = "http://localhost:8080"

  /// The meeting that is joined by its address: `Skype meeting URL`.
  @Setting("userMeetingUrl") static var meetingURL = ""
  /// The name that the agent sees: `Skype meeting display name`.
  @Setting("userDisplayName") static var displayName = "Jake"
  /// The address that makes a new meeting: `Online Meeting request API URL`.
  @Setting("OnlineMeetingRequestAPIURL") static var meetingRequestURL = server + "/GetAdhocMeetingJob"
  /// The address that exchanges a meeting's address for a token: `Token and discovery URI request API URL`.
  @Setting("TokenAndDiscoveryURIRequestAPIURL") static var tokenRequestURL = server + "/GetAnonTokenJob"
  /// Whether meetings are made and joined online, with a token: `SfB Online Switch State`.
  @Setting("SfBOnlineSwitchState") static var isOnline = true
  /// Whether what the SDK calls a preview is used: `Enable Preview Switch State`.
  @Setting("enablePreviewSwitchState") static var enablesPreview = false
  /// Whether the terms of video were accepted. The SDK does not remember it.
  @Setting("AcceptedVideoLicense") static var acceptedVideoLicense = false

  /// The text for a `url` that isn't a meeting's.
  static let invalidMeetingURL =
    "Please enter a valid meeting URL. It begins with http:// or https:// and names a server."

  /// An address that a request can be sent to: http or https, with a host. Blanks around it do not count.
  static func url(_ text: String) -> URL? {
    guard let url = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)),
      ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
    else { return nil }
    return url
  }
}

/// A value that `UserDefaults` keeps; until it is set it is what it begins with.
@propertyWrapper struct Setting<Value> {
  private let key: String
  private let initial: Value

  init(wrappedValue: Value, _ key: String) {
    initial = wrappedValue
    self.key = key
  }

  var wrappedValue: Value {
    get { UserDefaults.standard.object(forKey: key) as? Value ?? initial }
    nonmutating set {
      UserDefaults.standard.set(newValue, forKey: key)
      // On Linux a process that just ends has written nothing.
      UserDefaults.standard.synchronize()
    }
  }
}
