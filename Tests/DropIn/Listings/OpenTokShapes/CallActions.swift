// A provider's delegate that says when a call began and ended, and a controller that is asked for one action.
import CallKit
import OpenTok

class DatedCalls: NSObject, CXProviderDelegate {
  private let controller = CXCallController()
  func providerDidReset(_ provider: CXProvider) {}
  func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fulfill(withDateStarted: Date()) }
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
    action.fulfill(withDateConnected: Date())
  }
  func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fulfill(withDateEnded: Date()) }

  func mute(_ call: UUID, _ done: @escaping (Error?) -> Void) {
    controller.requestTransaction(with: CXSetMutedCallAction(call: call, muted: true), completion: done)
  }
  func end(_ calls: [UUID], _ done: @escaping (Error?) -> Void) {
    controller.requestTransaction(with: calls.map { CXEndCallAction(call: $0) }, completion: done)
  }
}
