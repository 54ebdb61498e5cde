// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap

import BBMEnterprise
import BBMSupport
import Foundation

/// The calls in the call log, the latest first; observable.
///
/// Anybody can post such a message, so what it says counts only as its sender's word: in the chat of two, with the
/// sender's signature, and about a call with the other one of the two.
@MainActor final class CallHistory {
  @MainActor struct Entry {
    let user: String
    let isOutgoing: Bool
    let reason: String
    /// By the clock of the sender, which may be wrong.
    let end: Date
    /// By the server's clock.
    let posted: UInt64
    let duration: TimeInterval

    /// The call in words.
    var words: String {
      let direction = isOutgoing ? "to" : "from"
      switch kind {
      case "ended": return "Call \(direction) \(user), \(BBMUtilities.duration(asString: duration) ?? "")"
      case "disconnected": return "Call \(direction) \(user), connection lost"
      case "cancelled", "unavailable", "missed":
        return isOutgoing ? "Call to \(user), not answered" : "Missed call from \(user)"
      case "busy": return "Call \(direction) \(user), busy"
      case "declined": return "Call \(direction) \(user), declined"
      case "connectionerror": return "Call \(direction) \(user), not connected"
      default: return "Call \(direction) \(user)"
      }
    }

    /// The reason without what apps write differently: "Ended", "Call Ended" and "CALL_ENDED" are the same.
    private var kind: String {
      let letters = reason.lowercased().filter(\.isLetter)
      return letters.hasPrefix("call") ? String(letters.dropFirst(4)) : letters
    }
  }

  private let names: UserNames
  private let list: BBMLiveList

  init(_ names: UserNames) {
    self.names = names
    let criteria = BBMChatMessageCriteria()
    criteria.tag = CallLog.tag
    list = BBMEnterpriseService.shared().model().chatMessage(with: criteria)
  }

  var isPending: Bool { list.bbmState == kBBMStatePending }

  var entries: [Entry] {
    let messages = list.observableArray as? [BBMChatMessage] ?? []
    return messages.compactMap { entry($0) }.sorted { ($0.posted, $0.end) > ($1.posted, $1.end) }
  }

  private func entry(_ message: BBMChatMessage) -> Entry? {
    let data = JSONFields(message.rawData)
    guard message.recall != kBBMChatMessage_RecallRecalled, !message.isUnverifiedFlagSet,
      message.resolvedChatId?.isOneToOneFlagSet == true, let reason = data.text("callLogReason")
    else { return nil }
    // No call ends after the server got its entry.
    let latest = Double(message.timestamp)
    return Entry(
      user: other(message), isOutgoing: !message.isIncomingFlagSet, reason: reason,
      end: Date(timeIntervalSince1970: min(data.number("callEndTime") ?? latest, latest)), posted: message.timestamp,
      duration: data.number("callDuration") ?? 0)
  }

  private func other(_ message: BBMChatMessage) -> String {
    if message.isIncomingFlagSet { return names.name(of: message.resolvedSenderUri) ?? "…" }
    let people = BBMAccess.participants(for: message.resolvedChatId).observableArray as? [BBMChatParticipant] ?? []
    return people.first.flatMap { names.name(of: $0.resolvedUserUri) } ?? "…"
  }
}
