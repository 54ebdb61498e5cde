import BBMEnterprise
import Foundation
import UIKit

/// Signs in and out: an app's screen with the account.
@MainActor public protocol AccountScreen: AnyObject {
  func signIn()
  func signOut()
}

/// Acts in place of a person: answers the questions, does what the commands say, and reports what happens.
///
/// An app has one when its command line names a user. Subclasses add commands and events of their own.
@MainActor open class Visitor: BBMIncomingMessageListener {
  /// The visitor of this process, to whom screens report questions.
  public private(set) static weak var current: Visitor?

  public let options: AppOptions
  private unowned let screen: any AccountScreen
  private var user: String
  private var passcode: String?
  private var newPasscode: String?
  /// The question for a passcode that waits for a command.
  private var openQuestion: UIAlertController?
  /// The answers to questions by their titles, until a command or a success: a question that comes again has refused
  /// its answer.
  private var answers: [String: String] = [:]
  private var account: String?
  private var lastState = ""
  private var lastScreen = ""
  private var hasSucceeded = false
  private var hasFailed = false
  private var isInputOver = false
  private var startMonitor: ObservableMonitor?
  private var stopMonitor: ObservableMonitor?
  /// Why the status will not be 0; nil once the setup has succeeded.
  private var problem: String? = "The setup did not come to its end."

  public init(_ options: AppOptions, _ screen: any AccountScreen) {
    self.options = options
    self.screen = screen
    user = options.user ?? ""
    passcode = options.passcode
    newPasscode = options.newPasscode
    Visitor.current = self
  }

  /// Signs in, once the first screen is there.
  open func begin() {
    BBMEnterpriseService.shared().add(
      self,
      forMessageNames: [
        "syncError", "setupError", "endpointDeregistered", "endpoints", "endpointUpdateResult", "securityWarning",
      ])
    startMonitor = ObservableMonitor(activatedWithName: "start") { [weak self] () -> Void in
      guard BBMEnterpriseService.shared().serviceState == kBBMCoreServiceStateError else { return }
      self?.fail("The service could not be started.")
    }
    if !options.isSilent {
      // Somebody else may have been signed in here.
      if let account, account != user { screen.signOut() }
      if account != user { screen.signIn() }
    }
    if let duration = options.duration {
      // In nanoseconds, times have an end: 30 years are enough.
      DispatchQueue.main.asyncAfter(deadline: .now() + min(duration, 1e9)) { self.stop() }
    }
    Thread.detachNewThread {
      while let line = readLine() { DispatchQueue.main.async { self.command(line) } }
      DispatchQueue.main.async { self.inputOver() }
    }
  }

  // MARK: for subclasses

  /// Does a command of the app; false when it isn't one.
  open func perform(_ command: String, _ fields: JSONFields) -> Bool { false }

  /// The setup of this endpoint has succeeded.
  open func setupSucceeded() {}

  /// The app is about to stop.
  open func willStop() {}

  // MARK: what happens

  public func configured(_ provider: String, domain: String) {
    Journal.report(
      "config",
      [
        "provider": provider, "domain": domain,
        "usesKeyManagement": BBMConfigManager.default().isUsingBlackBerryKMS(),
      ])
  }

  public func shown(_ rows: [String: String], buttons: [String]) {
    let text = "\(rows.sorted { $0.key < $1.key }) \(buttons)"
    guard text != lastScreen else { return }
    lastScreen = text
    Journal.report("screen", ["rows": rows, "buttons": buttons])
  }

  public func serviceStateChanged(_ isStarted: Bool) {
    Journal.report("serviceState", ["state": isStarted ? "Started" : "Stopped"])
    guard isStarted, let description = options.description else { return }
    // The token waits for the start, so this comes first.
    BBMEnterpriseService.shared().sendMessage(
      toService: BBMEndpointUpdateMessage(cookie: "describe", endpointDescription: description, nickname: user))
  }

  public func connectivityChanged(_ isConnected: Bool) {
    Journal.report("connectivity", ["connected": isConnected])
  }

  public func authStateChanged(_ state: BBMAuthState) {
    account = state.account?.accountId
    let regId = state.regId != nil && state.regId != 0 ? state.regId.stringValue : ""
    let fields = [
      "setupState": state.setupState ?? "", "authTokenState": state.authTokenState ?? "", "regId": regId,
      "user": account ?? "", "syncPasscodeState": BBMEnterpriseService.shared().model().globalSyncPasscodeState ?? "",
    ]
    let text = fields.sorted { $0.key < $1.key }.map(\.value).joined(separator: " ")
    guard text != lastState else { return }
    lastState = text
    Journal.report("authState", fields)
    if state.authTokenState == kBBMAuthStateRejected {
      fail("The server has refused the token. Is the clock of this computer right?")
    }
    if state.setupState == kBBMSetupStateSuccess, !hasSucceeded {
      hasSucceeded = true
      problem = nil
      forgetRefusals()
      Journal.report("regId", ["regId": regId])
      setupSucceeded()
      if isInputOver, options.duration == nil { stop() }
    }
  }

  open func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
    switch incomingMessage {
    case let message as BBMSyncErrorMessage:
      Journal.report("syncError", ["error": message.error ?? ""])
      passcode = nil
      newPasscode = nil
      fail("The passcode is of no use: \(message.error ?? "Failure").")
    case let message as BBMSetupErrorMessage:
      Journal.report("setupError", ["error": message.error ?? ""])
      fail("The setup failed: \(message.error ?? "Failure").")
    case is BBMEndpointDeregisteredMessage:
      Journal.report("endpointDeregistered")
      hasSucceeded = false
      fail("Another endpoint has removed this one.")
    case let message as BBMEndpointsMessage:
      Journal.report(
        "endpoints",
        [
          "result": message.result ?? "", "maxEndpoints": message.maxEndpoints ?? 0,
          "registeredEndpoints": message.registeredEndpoints ?? [],
        ])
    case let message as BBMEndpointUpdateResultMessage:
      Journal.report("endpointUpdateResult", ["result": message.result ?? ""])
    default: break
    }
  }

  open func receivedJSONIncomingMessage(_ message: [String: Any]!) {
    if let fields = message["securityWarning"] as? [String: Any] { Journal.report("securityWarning", fields) }
  }

  // MARK: answers

  /// Something is asked or said on a screen.
  public func asked(_ alert: UIAlertController) {
    Journal.report("asked", ["title": alert.title ?? "", "message": alert.message ?? ""])
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
    default: if alert.actions.count == 1, let action = alert.actions.first { alert.choose(action) }
    }
  }

  private func fill(_ alert: UIAlertController, _ text: String) {
    let title = alert.title ?? ""
    guard answers[title] != text else {
      openQuestion = alert
      return fail("\(title): \(alert.message ?? "")")
    }
    answers[title] = text
    for field in alert.textFields ?? [] { field.text = text }
    if let action = alert.preferredAction { alert.choose(action) }
  }

  private func choose(_ title: String, _ alert: UIAlertController) {
    if let action = alert.actions.first(where: { $0.title == title }) { alert.choose(action) }
  }

  // MARK: commands

  private func command(_ line: String) {
    guard !line.trimmingCharacters(in: .whitespaces).isEmpty else { return }
    let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
    let fields = JSONFields(object)
    let name = fields.text("command") ?? ""
    if Self.canMend(name) { forgetRefusals() }
    switch name {
    case "signOut":
      hasSucceeded = false
      screen.signOut()
    case "signIn":
      let name = (fields.text("user") ?? user).trimmingCharacters(in: .whitespacesAndNewlines)
      guard !name.isEmpty else { return Journal.report("problem", ["line": line]) }
      user = name
      passcode = fields.text("passcode") ?? options.passcode
      screen.signIn()
    case "passcode":
      passcode = fields.text("passcode")
      if let alert = openQuestion {
        openQuestion = nil
        answer(alert)
      }
    case "endpoints": BBMEnterpriseService.shared().sendMessage(toService: BBMEndpointsGetMessage(cookie: "endpoints"))
    case "retry": BBMAccess.sendSetupRetry()
    case "token": sendToken(lifetime: fields.number("lifetime").flatMap { Int(exactly: $0) } ?? 3_600)
    case "stop": stop()
    default: if !perform(name, fields) { Journal.report("problem", ["line": line]) }
    }
  }

  /// Gives the service another token that nobody has signed, which ends after so many seconds.
  private func sendToken(lifetime: Int) {
    let now = Int(Date().timeIntervalSince1970)
    let end = now + min(max(lifetime, -1_000_000_000), 1_000_000_000)
    let claims: [String: Any] = ["jti": UUID().uuidString, "sub": user, "iat": now - 60, "exp": end]
    let parts = [["alg": "none"], claims].map { part in
      let data = (try? JSONSerialization.data(withJSONObject: part)) ?? Data()
      return data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
    BBMEnterpriseService.shared().sendMessage(
      toService: BBMAuthTokenMessage(authToken: parts.joined(separator: ".") + ".", userId: user))
  }

  /// Whether a command can let a setup succeed that has failed. After any other the app still ends with its input.
  static func canMend(_ command: String) -> Bool {
    ["signOut", "signIn", "passcode", "retry", "token"].contains(command)
  }

  private func inputOver() {
    isInputOver = true
    if hasSucceeded || hasFailed, options.duration == nil { stop() }
  }

  private func forgetRefusals() {
    answers = [:]
    hasFailed = false
  }

  // MARK: the end

  /// Ends it, unless a command or the rest of its time can still mend it.
  private func fail(_ why: String) {
    problem = why
    hasFailed = true
    if isInputOver, options.duration == nil { stop() }
  }

  private func stop() {
    guard stopMonitor == nil else { return }
    willStop()
    BBMEnterpriseService.shared().stop()
    // The goodbye to the server comes first, and keeps nobody waiting for long.
    stopMonitor = ObservableMonitor(activatedWithName: "stop") { [weak self] () -> Void in
      let state = BBMEnterpriseService.shared().serviceState
      guard state != kBBMCoreServiceStateStarted, state != kBBMCoreServiceStateStopping else { return }
      // After those who follow the state, too.
      DispatchQueue.main.async { self?.end() }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + 5) { self.end() }
  }

  private func end() {
    Journal.report("stopped", ["succeeded": problem == nil])
    if let problem { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
    exit(problem == nil ? 0 : 1)
  }
}
