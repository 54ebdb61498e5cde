import Meetings
import Signaling

/// Signals: short messages of the application, passed on at once and never stored.
extension RoomMachine {
  /// A participant's signal: to everybody who may receive, the sender included, or to one. A signal with a number is
  /// acknowledged when it was passed on.
  func relay(_ signal: Signal, to: String?, id: Int?, _ member: RoomMember) {
    guard member.permissions.contains(.data) else {
      return answer(.refused(.notAllowed(sentence(for: .data, member))), to: id, member)
    }
    if let problem = signal.problem(isSealed: isEncrypted) {
      return answer(
        .refused(.init(problem == .badType ? .badMessage : .tooLarge, problem.description)), to: id, member)
    }
    if let to {
      guard let receiver = roster[to], !receiver.isHidden || receiver === member else {
        return answer(.refused(.bad("The recipient is not in the meeting.")), to: id, member)
      }
      guard receiver.permissions.contains(.subscribe) else {
        return answer(.refused(.notAllowed("The recipient may not receive signals.")), to: id, member)
      }
      receiver.channel?.send(.signal(signal, from: member.id))
    } else {
      broadcast(.signal(signal, from: member.id)) { $0 === member || $0.permissions.contains(.subscribe) }
    }
    count(.signal)
    answer(.done, to: id, member)
  }

  /// A signal of the tenant's own server, which has no participant. False when the receiver isn't here, or may not
  /// receive.
  func deliver(_ signal: Signal, to: String?) -> Bool {
    let receivers = roster.members.filter { $0.permissions.contains(.subscribe) }
    if let to {
      guard let receiver = receivers.first(where: { $0.id == to && !$0.isHidden }) else { return false }
      count(.signal)
      receiver.channel?.send(.signal(signal, from: nil))
      return true
    }
    count(.signal)
    broadcast(.signal(signal, from: nil)) { $0.permissions.contains(.subscribe) }
    return true
  }
}
