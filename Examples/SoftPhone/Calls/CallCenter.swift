// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap

import BBMEnterprise
import BBMSupport
import Foundation

/// Follows what a call needs of the screens.
@MainActor protocol CallCenterDelegate: AnyObject {
  /// Somebody calls, and it rings.
  func incomingCall(_ call: BBMCall)
  /// The user calls somebody.
  func outgoingCall(_ call: BBMCall)
  func callAnswered(_ call: BBMCall)
  /// The call is over; in words why.
  func callEnded(_ call: BBMCall, _ reason: String)
}

/// Places and takes calls, and writes the caller's entries of the call log.
final class CallCenter: BBMMediaDelegate {
  let session: AppSession
  weak var delegate: (any CallCenterDelegate)?
  private let log = CallLog()
  private var ringingCall: BBMCall?

  init(_ session: AppSession) { self.session = session }

  private var manager: BBMMediaManager { BBMEnterpriseService.shared().mediaManager()! }

  /// Begins to take calls, once the user is signed in.
  func start() {
    manager.start(withLogPath: nil)
    manager.add(self as BBMMediaDelegate)
  }

  /// The call that there is, ringing ones included; observable.
  var current: BBMCall? { manager.currentCallInfo }

  /// The name of the other side; its number until the service has said it. Observable.
  func name(of call: BBMCall) -> String { session.name(of: call.peerRegId ?? "") }

  /// Whether the other side's keys have changed, and the user has not read it. Observable.
  func hasChangedKeys(_ call: BBMCall) -> Bool { session.keyChanges.regIds.contains(call.peerRegId ?? "") }

  /// Whether the other side rings; observable.
  func rings(_ call: BBMCall) -> Bool {
    ObservableTracker.getterCalled(for: self, propertyName: "ringingCall")
    return ringingCall === call
  }

  // MARK: what the user does

  /// Calls a user by the name at the identity provider. The callback gets nil, or in words why there is no call.
  func call(_ user: String, video: Bool, callback: @escaping @MainActor (String?) -> Void) {
    session.find(user) { [weak self] regId, problem in
      guard let self, let regId else { return callback(problem) }
      guard !session.keyChanges.regIds.contains(regId.stringValue) else {
        session.keyChanges.markRead(regId.stringValue)
        return callback("\(KeyChanges.words(user)) To speak all the same, call again.")
      }
      manager.requestMediaPermissions(
        callback: { [weak self] isGranted in
          guard isGranted else { return callback("The app may not use the microphone or the camera.") }
          self?.manager.callRegId(regId, mediaMode: video ? kVideo : kVoice) { error in
            switch error {
            case kMediaErrorNoError: callback(nil)
            case kMediaErrorCallInProgress: callback("There is a call already. End it first.")
            case kMediaErrorCancelled: callback("The call was given up.")
            case kMediaFailureKeyError: callback("This user has never signed in, and has no keys yet.")
            default: callback("The call could not be placed. Is the server reached, and the user somebody else?")
            }
          }
        }, mode: video ? kVideo : kVoice)
    }
  }

  /// Takes the call that rings; with the camera on, if the other side is to see this one.
  func answer(video: Bool) {
    guard let call = current, call.incoming else { return }
    manager.requestMediaPermissions(
      callback: { [weak self] isGranted in
        guard let self else { return }
        guard isGranted else { return manager.decline() }
        manager.answer()
        // It may have failed at once.
        guard current === call else { return }
        if video { manager.toggleOutgoingVideo(true) }
        delegate?.callAnswered(call)
      }, mode: video ? kVideo : kVoice)
  }

  func decline() { manager.decline() }
  func hangUp() { manager.hangup() }

  // MARK: what the service says

  func incomingCallDidArrive(_ call: BBMCall!) {
    manager.acceptCall()
    delegate?.incomingCall(call)
  }

  func outgoingCallInitiated(_ call: BBMCall!) { delegate?.outgoingCall(call) }

  func outgoingCallRinging(_ call: BBMCall!) { setRinging(call) }

  private func setRinging(_ call: BBMCall?) {
    ringingCall = call
    ObservableTracker.setterCalled(for: self, propertyName: "ringingCall")
  }

  func callEnded(_ call: BBMCall!) {
    setRinging(nil)
    if !call.incoming { log.add(call) }
    delegate?.callEnded(call, words(call))
  }

  // MARK: words

  /// How a call has ended.
  private func words(_ call: BBMCall) -> String {
    let name = name(of: call)
    switch call.logType {
    case kCallLogEnded: return "The call with \(name) has ended."
    case kCallLogDisconnected: return "The connection to \(name) was lost."
    case kCallLogMissed: return "You have missed a call of \(name)."
    case kCallLogBusy: return "\(name) is in a call."
    case kCallLogUnavailable: return "\(name) doesn't answer."
    case kCallLogCancelled: return "The call was cancelled."
    case kCallLogDeclined: return call.incoming ? "You have declined the call." : "\(name) has declined the call."
    case kCallLogConnectionError: return "The call to \(name) could not be connected."
    case kCallLogCompletedElsewhere: return "You have answered on another device."
    case kCallLogDeclinedElsewhere: return "You have declined on another device."
    default: return "The call is over."
    }
  }
}
