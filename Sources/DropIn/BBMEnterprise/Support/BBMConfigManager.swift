// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

import Foundation

/// The identity provider that an app is configured for.
public struct BBMConfigType: RawRepresentable, Hashable, Sendable {
  /// The name in `ConfigSettings.plist`.
  public let rawValue: String
  /// A provider by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// No authentication: the user gives any id.
public let kTestAuth = BBMConfigType(rawValue: "testAuth")
public let kGoogleSignIn = BBMConfigType(rawValue: "googleSignIn")
public let kAzureAD = BBMConfigType(rawValue: "azureAD")
/// A token manager of the app's own.
public let kCustomAuth = BBMConfigType(rawValue: "custom")

/// The settings of `ConfigSettings.plist`, from the app's bundle or else from the folder that the app was started in.
///
/// Besides the keys of the support library it reads two of its own, at the root or in the provider's dictionary:
/// `parleyServer`, which sets ``ParleyServer/url``, and `issuer`, the address of an OpenID Connect provider in place of
/// Google's or Microsoft's.
@preconcurrency @MainActor public final class BBMConfigManager {
  private static let main = BBMConfigManager(settings: read())
  private let settings: [String: Any]

  public class func `default`() -> BBMConfigManager! { main }
  /// The same by its name in Objective-C.
  public class func defaultManager() -> BBMConfigManager! { main }

  init(settings: [String: Any]) {
    self.settings = settings
    if let url = text("parleyServer") { ParleyServer.configured = url }
  }

  private static func read() -> [String: Any] {
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    let places = [
      Bundle.main.url(forResource: "ConfigSettings", withExtension: "plist"),
      here.appendingPathComponent("ConfigSettings.plist"),
    ]
    for case let place? in places {
      guard let data = try? Data(contentsOf: place) else { continue }
      if let plist = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] {
        return plist
      }
      FileHandle.standardError.write(Data("BBMEnterprise: \(place.path) is no property list.\n".utf8))
    }
    return [:]
  }

  /// A setting of the provider, or else of the root.
  private func value(_ name: String) -> Any? {
    (settings[type.rawValue] as? [String: Any])?[name] ?? settings[name]
  }

  private func text(_ name: String) -> String? { (value(name) as? String).flatMap { $0.isEmpty ? nil : $0 } }

  /// The identity provider; ``kTestAuth`` where nothing is set.
  public var type: BBMConfigType {
    (settings["authProvider"] as? String).map { BBMConfigType(rawValue: $0) } ?? kTestAuth
  }
  /// The id of the domain.
  public var sdkServiceDomain: String! { text("domain") }
  /// That of the domain; the sandbox where nothing is set.
  public var environment: BBMConfigEnvironment {
    text("environment") == "production" ? kBBMConfig_Production : kBBMConfig_Sandbox
  }
  /// Whether keys are kept by the server's vault, sealed with the user's passcode; true where nothing is set.
  public func isUsingBlackBerryKMS() -> Bool { FieldValue.bool(settings["useBlackBerryKMS"]) ?? true }
  /// The app's id at the provider.
  public var clientId: String! { text("clientId") }
  /// The directory's id, at Microsoft's provider.
  public var tenantId: String! { text("tenantId") }
  /// The scope of the token.
  public var clientOauthScope: String! { text("scope") }
  /// The address of the OpenID Connect provider; nil for the provider's usual one.
  public var issuer: String! { text("issuer") }
  /// The base address of the app's own server for keys.
  public var keyProviderPath: String! { text("keyProviderPath") }
}
