// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

import ParleyViews

/// Asks for the passcode that seals the identity's keys in the server's vault, and gives it to the service.
///
/// During the setup it asks whenever the service needs a passcode, and again with the error when one was of no use. The
/// names of its methods are this module's: those of the support library were never published.
@preconcurrency @MainActor public final class BBMKMSManager {
  /// Asks the user; by default with screens on ``rootController``.
  public var passcodeManager: any BBMPasscodeManager
  weak var rootController: UIViewController? {
    didSet { (passcodeManager as? BBMUserPasscodeManager)?.rootController = rootController }
  }

  private let service: BBMEnterpriseService
  private var monitor: ObservableMonitor?
  private var listener: MessageListener?
  private var error = BBMPasscodeError.none
  /// The question that waits for its answer.
  private var question: (kind: String, number: Int)?
  private var questions = 0
  private weak var changeDelegate: (any BBMPasscodeChangeDelegate)?
  private var isChanging = false

  /// A manager for the shared service, which asks with screens.
  public convenience init() { self.init(service: .shared()) }

  init(service: BBMEnterpriseService) {
    self.service = service
    passcodeManager = BBMUserPasscodeManager()
    let listener = MessageListener { [weak self] in self?.receive($0) }
    self.listener = listener
    service.add(listener, forMessageNames: ["syncError", "syncPasscodeChangeResult"])
    monitor = ObservableMonitor(activatedWithName: "BBMKMSManager") { [weak self] () -> Void in self?.look() }
  }

  private func look() {
    let model: BBMDSGeneratedModel = service.model()
    let setup = model.globalSetupStateState
    let wanted = model.globalSyncPasscodeState
    Watchers.untracked {
      guard setup == kBBMSetupStateSyncRequired,
        wanted == kBBMSyncPasscodeStateNew || wanted == kBBMSyncPasscodeStateExisting
      else {
        // A question that nobody needs answered any more goes, as after a reset.
        if question != nil, setup != kBBMSetupStateSyncStarted { withdraw() }
        return
      }
      if let wanted, question?.kind != wanted { ask(wanted) }
    }
  }

  private func withdraw() {
    question = nil
    error = .none
    passcodeManager.cancelRequests()
  }

  private func ask(_ kind: String) {
    if question != nil { passcodeManager.cancelRequests() }
    questions += 1
    let number = questions
    question = (kind, number)
    let error = self.error
    self.error = .none
    if kind == kBBMSyncPasscodeStateNew {
      passcodeManager.provideNewPasscode(error) { [weak self] in self?.use($0, kBBMSyncStartMessage_ActionNew, number) }
    } else {
      passcodeManager.provideExistingPasscode(error) { [weak self] answer in
        switch answer {
        case .passcode(let text): self?.use(text, kBBMSyncStartMessage_ActionExisting, number)
        case .forgotten: self?.forget(number)
        }
      }
    }
  }

  /// New keys in place of those whose passcode is forgotten.
  private func forget(_ number: Int) {
    guard question?.number == number else { return }
    passcodeManager.provideNewPasscode(.none) { [weak self] in self?.use($0, kBBMSyncStartMessage_ActionNew, number) }
  }

  private func use(_ passcode: String, _ action: BBMSyncStartMessageAction, _ number: Int) {
    guard question?.number == number else { return }
    question = nil
    let message = BBMSyncStartMessage(passcode: passcode)
    message?.action = action
    service.sendMessage(toService: message)
  }

  private func receive(_ message: BBMJSONMessage) {
    if let failure = message as? BBMSyncErrorMessage {
      error = BBMPasscodeError(failure.error, detail: failure.fields["detail"] as? String)
      // The state may have come back before the reason did.
      if let kind = question?.kind { ask(kind) }
    } else if let result = message as? BBMSyncPasscodeChangeResultMessage {
      isChanging = false
      changeDelegate?.passcodeChanged(
        result.result == "Success", error: result.result == "Success" ? .none : .temporary)
    }
  }

  /// Asks for a new passcode, which replaces the one in use. The app has to make sure before that it is the user who
  /// asks. False while the setup isn't through, or a change is under way.
  @discardableResult public func changePasscode(_ delegate: (any BBMPasscodeChangeDelegate)?) -> Bool {
    guard !isChanging, service.model().globalSetupStateState == kBBMSetupStateSuccess else { return false }
    isChanging = true
    changeDelegate = delegate
    passcodeManager.provideChangedPasscode(.none) { [weak self] passcode in
      guard let passcode else {
        self?.isChanging = false
        return
      }
      self?.service.sendMessage(toService: BBMSyncPasscodeChangeMessage(passcode: passcode))
    }
    return true
  }
}

/// Why a passcode is asked for again.
public enum BBMPasscodeError: Hashable, Sendable {
  /// It is asked for the first time.
  case none
  case incorrect
  case timedOut
  /// The keys could not be opened, stored or fetched.
  case failed
  /// It may work later.
  case temporary
  /// A new one is among those that are tried first.
  case weak
  /// There were too many wrong ones: the vault is locked for some hours.
  case locked

  /// The error of a message, and this module's word for it where the SDK's says too little.
  init(_ error: String?, detail: String? = nil) {
    if detail == "weakPasscode" {
      self = .weak
      return
    }
    if detail?.hasPrefix("locked") == true {
      self = .locked
      return
    }
    switch error {
    case "IncorrectPasscode": self = .incorrect
    case "Timeout": self = .timedOut
    case "TemporaryFailure": self = .temporary
    default: self = .failed
    }
  }
}

/// The answer to the question for the passcode in use.
public enum BBMPasscodeAnswer: Hashable, Sendable {
  case passcode(String)
  /// New keys shall be made: other endpoints are removed, and all chats are lost.
  case forgotten
}

/// Asks for passcodes: the user, or whatever knows them.
@preconcurrency @MainActor public protocol BBMPasscodeManager: AnyObject {
  /// A passcode for new keys is needed.
  func provideNewPasscode(_ error: BBMPasscodeError, completion: @escaping @MainActor (String) -> Void)
  /// The passcode of the keys that are there is needed.
  func provideExistingPasscode(_ error: BBMPasscodeError, completion: @escaping @MainActor (BBMPasscodeAnswer) -> Void)
  /// A passcode that replaces the one in use is needed; nil leaves that one.
  func provideChangedPasscode(_ error: BBMPasscodeError, completion: @escaping @MainActor (String?) -> Void)
  /// Nobody waits for an answer any more.
  func cancelRequests()
}

/// Is notified of the change of a passcode.
@preconcurrency @MainActor public protocol BBMPasscodeChangeDelegate: AnyObject {
  /// The change has come to its end.
  func passcodeChanged(_ isChanged: Bool, error: BBMPasscodeError)
}

/// Answers with passcodes that a program without a user has been given. One that is of no use is not tried again.
@preconcurrency @MainActor public final class BBMFixedPasscodeManager: BBMPasscodeManager {
  private let passcode: String
  private let newPasscode: String?
  private var wasUsed = false

  /// Answers with `passcode`. With `newPasscode`, the one in use counts as forgotten.
  public init(passcode: String, newPasscode: String?) {
    self.passcode = passcode
    self.newPasscode = newPasscode
  }

  /// Gives the new passcode where there is one, else the passcode.
  public func provideNewPasscode(_ error: BBMPasscodeError, completion: @escaping @MainActor (String) -> Void) {
    if error == .none || error == .temporary { completion(newPasscode ?? passcode) }
  }

  /// Gives the passcode, or says that it is forgotten.
  public func provideExistingPasscode(
    _ error: BBMPasscodeError, completion: @escaping @MainActor (BBMPasscodeAnswer) -> Void
  ) {
    guard error == .none || error == .temporary else { return }
    completion(newPasscode == nil ? .passcode(passcode) : .forgotten)
  }

  /// Gives the new passcode.
  public func provideChangedPasscode(_ error: BBMPasscodeError, completion: @escaping @MainActor (String?) -> Void) {
    completion(error == .none ? newPasscode : nil)
  }

  /// There is nothing to take away.
  public func cancelRequests() {}
}

/// Hears of messages of the service.
@MainActor final class MessageListener: BBMIncomingMessageListener {
  private let call: @MainActor (BBMJSONMessage) -> Void

  init(_ call: @escaping @MainActor (BBMJSONMessage) -> Void) { self.call = call }

  func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
    if let message = incomingMessage as BBMJSONMessage? { call(message) }
  }
}
