import BBMEnterprise
import Foundation

/// The call log: after a call the caller, and nobody else, puts a message with the tag `Call_Event` into the chat of
/// the two.
@MainActor final class CallLog {
  static let tag = "Call_Event"
  private let creator = BBMChatCreator()

  /// Puts a call of the user's into the log.
  func add(_ call: BBMCall) {
    guard let reason = Self.reason(call.logType), let regId = UInt64(call.peerRegId ?? "") else { return }
    let now = Date().timeIntervalSince1970
    let duration = call.connectedTime > 0 ? max(Int(now - call.connectedTime), 0) : 0
    let data: [AnyHashable: Any] = ["callEndTime": Int(now), "callLogReason": reason, "callDuration": duration]
    creator.startChat(withRegId: NSNumber(value: regId), subject: "") { chatId, _ in
      // Of the chat that was there before, the id is given as well.
      guard let chatId, !chatId.isEmpty else { return }
      let message: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: chatId, tag: Self.tag)
      message.data = data
      BBMEnterpriseService.shared().sendMessage(toService: message)
    }
  }

  /// The word in the log; nil for calls that have no entry.
  static func reason(_ type: BBMCallLogType) -> String? {
    switch type {
    case kCallLogEnded: "Ended"
    case kCallLogDisconnected: "Disconnected"
    case kCallLogMissed: "Missed"
    case kCallLogBusy: "Busy"
    case kCallLogUnavailable: "Unavailable"
    case kCallLogCancelled: "Cancelled"
    case kCallLogDeclined: "Declined"
    case kCallLogConnectionError: "ConnectionError"
    default: nil
    }
  }
}
