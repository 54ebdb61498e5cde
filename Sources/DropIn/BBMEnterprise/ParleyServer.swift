public import Foundation

/// The server of an app that was written for BBM Enterprise: the one name that is new to it.
///
/// ```swift
/// ParleyServer.url = "https://meet.example.com"
/// BBMEnterpriseService.shared().start(domain, environment: kBBMConfig_Sandbox) { started in print(started) }
/// ```
///
/// The key `parleyServer` of `ConfigSettings.plist` sets it as well; see ``BBMConfigManager``.
@preconcurrency @MainActor public enum ParleyServer {
  /// `http(s)://host[:port]` of the server. Set it before the service is started.
  public static var url: String {
    get { chosen ?? configured ?? "http://localhost:8080" }
    set { chosen = newValue }
  }

  private static var chosen: String?
  /// The address in `ConfigSettings.plist`, which one that the app sets takes precedence over.
  static var configured: String?

  /// The folder in which the service keeps this endpoint's keys and messages, sealed. Set it before the service is
  /// started; nil is a folder of this app in the user's data folder.
  public static var dataFolder: URL?

  /// Whether certificates of servers count that nobody vouches for, as in tests.
  public static var trustsAnyCertificate = false
}

/// The server that a service was started with. An address that is set later holds from the next start on.
struct ServerAddress: Hashable, Sendable {
  let url: String
  let trustsAnyCertificate: Bool

  /// That of ``ParleyServer``.
  @MainActor static var current: ServerAddress {
    ServerAddress(url: ParleyServer.url, trustsAnyCertificate: ParleyServer.trustsAnyCertificate)
  }
}
