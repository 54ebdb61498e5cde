// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import Foundation

/// Names of users by their numbers. One that looks like another user's is followed by the PIN.
///
/// The service is asked for those whom nobody has looked up on this endpoint.
@MainActor public final class UserNames: BBMIncomingMessageListener {
  private var names: [String: String] = [:]
  /// The numbers of users whose names look the same.
  private var owners: [String: Set<String>] = [:]
  private var asked: Set<String> = []
  /// Numbers to ask for at the end of the turn.
  private var wanted: [String] = []
  /// Users of a request at most.
  private static let mostUsers = 50

  public init() { BBMEnterpriseService.shared().add(self, forMessageNames: ["identities"]) }

  /// The user's name; nil until the service has said it. Observable.
  public func name(of user: BBMUser!) -> String? {
    ObservableTracker.getterCalled(for: self, propertyName: "names")
    guard let regId = user?.regId?.stringValue else { return nil }
    if let name = names[regId] {
      // The list would otherwise show two users, or chats, of one name.
      return owners[Self.look(name)]?.count ?? 0 > 1 ? "\(name) (\(user?.pin ?? regId))" : name
    }
    if asked.insert(regId).inserted {
      wanted.append(regId)
      if wanted.count == 1 { Task { sendWanted() } }
    }
    return nil
  }

  /// The same for names that differ in spaces, in case, or in the spelling of the same letters.
  private static func look(_ name: String) -> String {
    name.precomposedStringWithCompatibilityMapping.lowercased().split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  func sendWanted() {
    let all = wanted
    wanted = []
    for start in stride(from: 0, to: all.count, by: Self.mostUsers) {
      let message = BBMIdentitiesGetMessage()
      message.cookie = "names"
      message.regIds = Array(all[start..<min(start + Self.mostUsers, all.count)])
      BBMEnterpriseService.shared().sendMessage(toService: message)
    }
  }

  /// The server is reached: names that it has not given are asked for again. Before, the answer would be the same.
  public func askAgain() {
    asked = asked.filter { names[$0] != nil }
    ObservableTracker.setterCalled(for: self, propertyName: "names")
  }

  public func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
    guard let message = incomingMessage as? BBMIdentitiesMessage else { return }
    guard message.result == "Success" else { return }
    for case let info as [String: Any] in message.info ?? [] {
      guard let regId = info["regId"], let name = info["appUserId"] as? String else { continue }
      names["\(regId)"] = name
      owners[Self.look(name), default: []].insert("\(regId)")
    }
    ObservableTracker.setterCalled(for: self, propertyName: "names")
  }
}
