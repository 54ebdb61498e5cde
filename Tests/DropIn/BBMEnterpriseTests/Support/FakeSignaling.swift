@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// Signals calls to nobody: it notes the steps, and answers as a test wants.
@MainActor final class FakeSignaling: CallSignaling {
  private(set) var steps: [String] = []
  /// Why calls can't be answered.
  var answerError: MessengerError?
  /// Whether the server takes its time with new calls, until ``release()``.
  var holdsCalls = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private var calls = 0

  func release() {
    let waiting = held
    held = []
    for each in waiting { each.resume() }
  }

  func call(_ id: RegID, _ medium: CallMedium, metadata: String?) async throws(MessengerError) -> Call {
    calls += 1
    let call = Call(
      id: CallID("call\(calls)"), peer: id, isIncoming: false, medium: medium, state: .offered, metadata: metadata,
      end: nil)
    steps.append("place \(call.id)")
    if holdsCalls { await withCheckedContinuation { held.append($0) } }
    return call
  }

  func ring(_ call: CallID) async throws(MessengerError) { steps.append("ring \(call)") }

  func answer(_ call: CallID) async throws(MessengerError) {
    steps.append("answer \(call)")
    if let answerError { throw answerError }
  }

  func decline(_ call: CallID, isBusy: Bool) async throws(MessengerError) {
    steps.append(isBusy ? "busy \(call)" : "decline \(call)")
  }

  func hangUp(_ call: CallID) async throws(MessengerError) { steps.append("hangUp \(call)") }
}
