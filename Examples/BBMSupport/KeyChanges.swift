// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import Foundation

/// Users who have other keys than before, until the person at this app has read it.
///
/// The service uses changed keys at once, and reports them in the message `securityWarning`. A server that hands out
/// keys of somebody else's lets them speak in the user's place, so an app has to show the change.
@MainActor public final class KeyChanges: BBMIncomingMessageListener {
  private var unread: [String] = []

  public init() { BBMEnterpriseService.shared().add(self, forMessageNames: ["securityWarning"]) }

  /// The numbers of the users whose change nobody has read; observable.
  public var regIds: [String] {
    ObservableTracker.getterCalled(for: self, propertyName: "regIds")
    return unread
  }

  /// The person has read it.
  public func markRead(_ regId: String) {
    unread.removeAll { $0 == regId }
    ObservableTracker.setterCalled(for: self, propertyName: "regIds")
  }

  public func receivedJSONIncomingMessage(_ message: [String: Any]!) {
    let fields = JSONFields(message["securityWarning"] as? [String: Any] ?? [:])
    guard fields.text("kind") == "keysChanged", let regId = fields.text("regId"), !unread.contains(regId) else {
      return
    }
    unread.append(regId)
    ObservableTracker.setterCalled(for: self, propertyName: "regIds")
  }

  /// The change in words.
  public static func words(_ name: String) -> String {
    "\(name) has other keys than before. That is so after a forgotten passcode, and also if somebody else takes the "
      + "place of \(name). Ask in person before you tell secrets."
  }
}
