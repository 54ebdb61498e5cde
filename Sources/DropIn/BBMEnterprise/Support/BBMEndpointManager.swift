// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

import Foundation
import ParleyViews

/// One of the places in which an identity is signed in.
@preconcurrency @MainActor public final class BBMEndpoint {
  public let endpointId: String!
  public let endpointDescription: String!
  public let nickname: String!
  /// Whether it is this one.
  public let isCurrent: Bool

  init(_ fields: [String: Any]) {
    endpointId = fields["endpointId"] as? String
    endpointDescription = fields["description"] as? String
    nickname = fields["nickname"] as? String
    isCurrent = FieldValue.bool(fields["isCurrent"]) ?? false
  }
}

/// Names this endpoint, and lists and removes the identity's others.
@preconcurrency @MainActor public final class BBMEndpointManager: BBMAuthControllerDelegate {
  private let service: BBMEnterpriseService
  private var listener: MessageListener?
  private var waiting: [String: @MainActor (BBMJSONMessage) -> Void] = [:]
  private var isNamed = false
  private var isFreeing = false

  /// A manager for the shared service.
  public convenience init() { self.init(service: .shared()) }

  init(service: BBMEnterpriseService) {
    self.service = service
    let listener = MessageListener { [weak self] in self?.receive($0) }
    self.listener = listener
    service.add(listener, forMessageNames: ["endpoints", "endpointUpdateResult", "endpointDeregisterResult"])
  }

  private func receive(_ message: BBMJSONMessage) {
    if let cookie = message.fields["cookie"] as? String { waiting.removeValue(forKey: cookie)?(message) }
  }

  private func send(_ make: (String) -> BBMJSONMessage, _ answer: @escaping @MainActor (BBMJSONMessage) -> Void) {
    let cookie = UUID().uuidString
    waiting[cookie] = answer
    service.sendMessage(toService: make(cookie))
  }

  /// The identity's endpoints, and how many there may be; nil when the service does not say.
  public func endpoints(_ callback: @escaping @MainActor ([BBMEndpoint]?, Int) -> Void) {
    send({ BBMEndpointsGetMessage(cookie: $0) }) { answer in
      guard let answer = answer as? BBMEndpointsMessage, answer.result == "Success" else { return callback(nil, 0) }
      let endpoints = answer.fields["registeredEndpoints"] as? [[String: Any]] ?? []
      callback(endpoints.map { BBMEndpoint($0) }, answer.maxEndpoints?.intValue ?? endpoints.count)
    }
  }

  /// Removes an endpoint, which wipes its data.
  public func deregisterEndpoint(_ endpointId: String!, callback: @escaping @MainActor (Bool) -> Void) {
    send({ BBMEndpointDeregisterMessage(cookie: $0, endpointId: endpointId) }) {
      callback(($0 as? BBMEndpointDeregisterResultMessage)?.result == "Success")
    }
  }

  /// Removes the first endpoint that isn't this one, and goes on with the setup. For demonstrations: a product lets the
  /// user choose.
  public func deregisterAnyEndpointAndContinueSetup() {
    // Apps call it with every change of the state.
    guard !isFreeing else { return }
    isFreeing = true
    endpoints { [weak self] endpoints, _ in
      guard let self, let other = endpoints?.first(where: { !$0.isCurrent }) else {
        self?.isFreeing = false
        return
      }
      deregisterEndpoint(other.endpointId) { [weak self] isRemoved in
        self?.isFreeing = false
        if isRemoved { self?.service.sendMessage(toService: BBMSetupRetryMessage()) }
      }
    }
  }

  /// Names this endpoint for the identity's other ones.
  public func updateEndpoint(
    withDescription description: String!, nickname: String!, callback: @escaping @MainActor (Bool) -> Void
  ) {
    send({ BBMEndpointUpdateMessage(cookie: $0, endpointDescription: description, nickname: nickname) }) {
      callback(($0 as? BBMEndpointUpdateResultMessage)?.result == "Success")
    }
  }

  /// Names this endpoint after the computer, once it is set up.
  public func authStateChanged(_ authState: BBMAuthState) {
    guard authState.setupState == kBBMSetupStateSuccess else { return isNamed = false }
    guard !isNamed else { return }
    isNamed = true
    updateEndpoint(withDescription: UIDevice.current.model, nickname: UIDevice.current.name) { _ in }
  }
}
