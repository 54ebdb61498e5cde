// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import UIKit

/// The setup without the support library: messages by hand, and a listener for the answers.
class MessageDesk: BBMIncomingMessageListener {
  var heard: [String] = []
  var raw: [[String: Any]] = []
  private var setupMonitor: ObservableMonitor?
  var asksFor: String?

  func begin() {
    let service: BBMEnterpriseService = BBMEnterpriseService.shared()
    service.add(self, forMessageNames: ["syncError", "endpoints", "endpointUpdateResult", "endpointDeregisterResult"])
    service.add(self, forMessageTypes: ["typing"])
    setupMonitor = ObservableMonitor(activatedWithName: "setupMonitor") {
      [weak self] () -> Bool in
      let model: BBMDSGeneratedModel = BBMEnterpriseService.shared().model()
      guard model.globalSetupStateState == "SyncRequired" else {
        return model.globalSetupStateState == kBBMSetupStateSuccess
      }
      self?.asksFor = model.globalSyncPasscodeState == "New" ? "New" : "Existing"
      return false
    }
  }

  func end() {
    BBMEnterpriseService.shared().remove(self, forMessageTypes: ["typing"])
    BBMEnterpriseService.shared().remove(self, forMessageNames: ["syncError"])
  }

  func describe(_ description: String) {
    let update: BBMEndpointUpdateMessage = BBMEndpointUpdateMessage(
      cookie: "update", endpointDescription: description, nickname: "phone")
    BBMEnterpriseService.shared().sendMessage(toService: update)
  }

  func enter(_ passcode: String) {
    let start: BBMSyncStartMessage = BBMSyncStartMessage(passcode: passcode)
    start.action = asksFor == "New" ? kBBMSyncStartMessage_ActionNew : kBBMSyncStartMessage_ActionExisting
    BBMEnterpriseService.shared().sendMessage(toService: start)
  }

  func freeEndpoint() {
    BBMEnterpriseService.shared().sendMessage(toService: BBMEndpointsGetMessage(cookie: "get"))
  }

  func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
    if let error = incomingMessage as? BBMSyncErrorMessage {
      heard.append("syncError " + error.error)
    } else if let result = incomingMessage as? BBMEndpointUpdateResultMessage {
      heard.append(result.cookie + " " + result.result)
    } else if let endpoints = incomingMessage as? BBMEndpointsMessage {
      let all = endpoints.registeredEndpoints as! [[String: Any]]
      let other = all.first { !($0["isCurrent"] as! Bool) }
      BBMEnterpriseService.shared().sendMessage(
        toService: BBMEndpointDeregisterMessage(cookie: "free", endpointId: other!["endpointId"] as? String))
    } else if incomingMessage is BBMEndpointDeregisterResultMessage {
      BBMAccess.sendSetupRetry()
    }
  }

  func receivedJSONIncomingMessage(_ message: [String: Any]!) {
    raw.append(message)
  }
}
