import Messaging
import MessagingClient

/// Signals calls to the other side: the messenger, or a test in its place.
protocol CallSignaling: Sendable {
  func call(_ id: RegID, _ medium: CallMedium, metadata: String?) async throws(MessengerError) -> Call
  func ring(_ call: CallID) async throws(MessengerError)
  func answer(_ call: CallID) async throws(MessengerError)
  func decline(_ call: CallID, isBusy: Bool) async throws(MessengerError)
  func hangUp(_ call: CallID) async throws(MessengerError)
}

extension Messenger: CallSignaling {}
