import Foundation

/// What the app is set to: what its `Info.plist` says, and over it what has been changed on the settings screen.
enum Settings {
  /// The server's address: the only line that names it.
  static let server = "http://localhost:8080"

  /// What stands in `Info.plist` on a phone.
  private static let info: [String: Any] = [
    "Skype meeting URL": "",
    "Skype meeting display name": "Jake",
    "Online Meeting request API URL": server + "/GetAdhocMeetingJob",
    "Token and discovery URI request API URL": server + "/GetAnonTokenJob",
    "SfB Online Switch State": true,
    "Enable Preview Switch State": false,
  ]

  private static func text(_ key: String, _ infoKey: String) -> String {
    UserDefaults.standard.string(forKey: key) ?? info[infoKey] as? String ?? ""
  }

  private static func truth(_ key: String, _ infoKey: String) -> Bool {
    guard UserDefaults.standard.object(forKey: key) != nil else { return info[infoKey] as? Bool ?? false }
    return UserDefaults.standard.bool(forKey: key)
  }

  /// Keeps a value at once: on Linux a process that just ends has written nothing.
  private static func keep(_ value: Any, _ key: String) {
    UserDefaults.standard.set(value, forKey: key)
    UserDefaults.standard.synchronize()
  }

  /// The meeting that is joined by its address.
  static var meetingURL: String {
    get { text("userMeetingUrl", "Skype meeting URL") }
    set { keep(newValue, "userMeetingUrl") }
  }
  /// The name that the agent sees.
  static var displayName: String {
    get { text("userDisplayName", "Skype meeting display name") }
    set { keep(newValue, "userDisplayName") }
  }
  /// Where a new meeting is asked for.
  static var meetingRequestURL: String {
    get { text("OnlineMeetingRequestAPIURL", "Online Meeting request API URL") }
    set { keep(newValue, "OnlineMeetingRequestAPIURL") }
  }
  /// Where a meeting's address is exchanged for a token.
  static var tokenRequestURL: String {
    get { text("TokenAndDiscoveryURIRequestAPIURL", "Token and discovery URI request API URL") }
    set { keep(newValue, "TokenAndDiscoveryURIRequestAPIURL") }
  }
  /// Whether meetings are made and joined online, with a token.
  static var isOnline: Bool {
    get { truth("SfBOnlineSwitchState", "SfB Online Switch State") }
    set { keep(newValue, "SfBOnlineSwitchState") }
  }
  /// Whether what the SDK calls a preview is used.
  static var enablesPreview: Bool {
    get { truth("enablePreviewSwitchState", "Enable Preview Switch State") }
    set { keep(newValue, "enablePreviewSwitchState") }
  }
  /// Whether the terms of video were accepted. The SDK does not remember it.
  static var acceptedVideoLicense: Bool {
    get { UserDefaults.standard.bool(forKey: "AcceptedVideoLicense") }
    set { keep(newValue, "AcceptedVideoLicense") }
  }

  /// An address that a request can be sent to: http or https, with a host. Blanks around it do not count.
  static func url(_ text: String) -> URL? {
    guard let url = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)),
      ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
    else { return nil }
    return url
  }
}
