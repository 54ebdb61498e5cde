// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import Foundation

/// Names of users by their numbers. The service is asked for those whom nobody has looked up on this endpoint.
@MainActor public final class UserNames: BBMIncomingMessageListener {
  private var names: [String: String] = [:]
  private var asked: Set<String> = []

  public init() { BBMEnterpriseService.shared().add(self, forMessageNames: ["identities"]) }

  /// The user's name; nil until the service has said it. Observable.
  public func name(of user: BBMUser!) -> String? {
    ObservableTracker.getterCalled(for: self, propertyName: "names")
    guard let regId = user?.regId?.stringValue else { return nil }
    if let name = names[regId] { return name }
    if asked.insert(regId).inserted {
      let message = BBMIdentitiesGetMessage()
      message.cookie = "name-\(regId)"
      message.regIds = [regId]
      BBMEnterpriseService.shared().sendMessage(toService: message)
    }
    return nil
  }

  public func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
    guard let message = incomingMessage as? BBMIdentitiesMessage else { return }
    // An answer that failed is asked for again when the name is next needed.
    if message.result != "Success" { asked = asked.filter { names[$0] != nil } }
    for case let info as [String: Any] in message.info ?? [] {
      guard let regId = info["regId"], let name = info["appUserId"] as? String else { continue }
      names["\(regId)"] = name
    }
    ObservableTracker.setterCalled(for: self, propertyName: "names")
  }
}
