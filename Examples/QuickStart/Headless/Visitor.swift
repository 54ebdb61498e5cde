import BBMEnterprise
import Foundation
import UIKit

/// Acts in place of a person: answers the questions, does what the commands say, and reports what happens.
final class Visitor: BBMIncomingMessageListener {
  private let options: Options
  private unowned let controller: AccountViewController
  private var user: String
  private var passcode: String?
  private var newPasscode: String?
  /// The question for a passcode that waits for a command.
  private var openQuestion: UIAlertController?
  private var account: String?
  private var lastState = ""
  private var hasSucceeded = false
  private var isInputOver = false
  /// Why the status will not be 0; nil once the setup has succeeded.
  private var problem: String? = "The setup did not come to its end."

  init(_ options: Options, _ controller: AccountViewController) {
    self.options = options
    self.controller = controller
    user = options.user ?? ""
    passcode = options.passcode
    newPasscode = options.newPasscode
  }

  func begin() {
    BBMEnterpriseService.shared().add(
      self, forMessageNames: ["syncError", "setupError", "endpointDeregistered", "syncPasscodeChangeResult"])
    // Somebody else may have been signed in here.
    if let account, account != user { controller.signOut() }
    if account != user { controller.signIn() }
    if let duration = options.duration {
      DispatchQueue.main.asyncAfter(deadline: .now() + duration) { self.stop() }
    }
    Thread.detachNewThread {
      while let line = readLine() { DispatchQueue.main.async { self.command(line) } }
      DispatchQueue.main.async { self.inputOver() }
    }
  }

  // MARK: what happens

  func serviceStateChanged(_ isStarted: Bool) {
    Journal.note("serviceState", ["state": isStarted ? "Started" : "Stopped"])
  }

  func connectivityChanged(_ isConnected: Bool) { Journal.note("connectivity", ["connected": isConnected]) }

  func authStateChanged(_ state: BBMAuthState) {
    account = state.account?.accountId
    let regId = state.regId != nil && state.regId != 0 ? state.regId.stringValue : ""
    let fields = [
      "setupState": state.setupState ?? "", "authTokenState": state.authTokenState ?? "", "regId": regId,
      "user": account ?? "",
    ]
    let text = fields.sorted { $0.key < $1.key }.map(\.value).joined(separator: " ")
    guard text != lastState else { return }
    lastState = text
    Journal.note("authState", fields)
    if state.authTokenState == kBBMAuthStateRejected { fail("The server has refused the token.") }
    if state.setupState == kBBMSetupStateSuccess, !hasSucceeded {
      hasSucceeded = true
      problem = nil
      Journal.note("regId", ["regId": regId])
      if isInputOver, options.duration == nil { stop() }
    }
  }

  func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
    switch incomingMessage {
    case let message as BBMSyncErrorMessage:
      Journal.note("syncError", ["error": message.error ?? ""])
      passcode = nil
      newPasscode = nil
      fail("The passcode is of no use: \(message.error ?? "Failure").")
    case let message as BBMSetupErrorMessage:
      Journal.note("setupError", ["error": message.error ?? ""])
      fail("The setup failed: \(message.error ?? "Failure").")
    case is BBMEndpointDeregisteredMessage:
      Journal.note("endpointDeregistered")
      hasSucceeded = false
      fail("Another endpoint has removed this one.")
    default: break
    }
  }

  // MARK: answers

  func asked(_ alert: UIAlertController) {
    Journal.note("asked", ["title": alert.title ?? "", "message": alert.message ?? ""])
    DispatchQueue.main.async { self.answer(alert) }
  }

  private func answer(_ alert: UIAlertController) {
    switch alert.title {
    case "Sign In": fill(alert, user)
    case "Forgot Passcode": choose("Make New Keys", alert)
    case "Passcode" where newPasscode != nil: choose("Forgot Passcode", alert)
    case "New Passcode", "Passcode", "Change Passcode":
      if let text = alert.title == "New Passcode" ? newPasscode ?? passcode : passcode {
        fill(alert, text)
      } else {
        openQuestion = alert
      }
    default: break
    }
  }

  private func fill(_ alert: UIAlertController, _ text: String) {
    for field in alert.textFields ?? [] { field.text = text }
    if let action = alert.preferredAction { alert.choose(action) }
  }

  private func choose(_ title: String, _ alert: UIAlertController) {
    if let action = alert.actions.first(where: { $0.title == title }) { alert.choose(action) }
  }

  // MARK: commands

  private func command(_ line: String) {
    guard !line.trimmingCharacters(in: .whitespaces).isEmpty else { return }
    let fields = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
    switch fields["command"] as? String {
    case "signOut":
      hasSucceeded = false
      controller.signOut()
    case "signIn":
      user = fields["user"] as? String ?? user
      passcode = fields["passcode"] as? String ?? options.passcode
      controller.signIn()
    case "passcode":
      passcode = fields["passcode"] as? String
      if let alert = openQuestion {
        openQuestion = nil
        answer(alert)
      }
    case "stop": stop()
    default: Journal.note("problem", ["line": line])
    }
  }

  private func inputOver() {
    isInputOver = true
    if hasSucceeded, options.duration == nil { stop() }
  }

  // MARK: the end

  /// Ends it, unless a command or the rest of its time can still mend it.
  private func fail(_ why: String) {
    problem = why
    if isInputOver, options.duration == nil { stop() }
  }

  private func stop() {
    let status: Int32 = problem == nil ? 0 : 1
    BBMEnterpriseService.shared().stop()
    Journal.note("stopped", ["succeeded": problem == nil])
    if let problem { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
    // The goodbye to the server has a moment.
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(status) }
  }
}
