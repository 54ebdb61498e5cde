import Meetings
import Signaling

/// Signals: short messages of the application's own, passed on at once and kept nowhere.
extension MeetingRoom {
  /// A participant's signal: to everybody who may receive, the sender included, or to one. With a number, the sender is told that it was passed on.
  func pass(_ signal: Signal, to: String?, id: Int?, _ member: RoomMember, _ channel: SignalingChannel) {
    guard allows(.data, member, channel, id: id) else { return }
    if let problem = signal.problem {
      channel.refuse(problem == .badType ? .badMessage : .tooLarge, problem.description, id: id)
      return
    }
    guard let to else {
      counters.signals.add(1)
      broadcast(.signal(signal, from: member.id)) { $0 === member || $0.permissions.contains(.subscribe) }
      if let id { channel.send(.room(.done(id: id))) }
      return
    }
    guard let receiver = members[to], !receiver.isHidden || receiver === member else {
      channel.refuse(.badMessage, "The recipient is not in the meeting.", id: id)
      return
    }
    guard receiver.permissions.contains(.subscribe) else {
      channel.refuse(.notAllowed, "The recipient may not receive signals.", id: id)
      return
    }
    counters.signals.add(1)
    receiver.channel?.send(.signal(signal, from: member.id))
    if let id { channel.send(.room(.done(id: id))) }
  }

  /// A signal of the tenant's own server, which is nobody in the meeting. False when the one it is for is not here, or may not receive.
  func deliver(_ signal: Signal, to: String?) -> Bool {
    let receivers = members.values.filter { $0.permissions.contains(.subscribe) }
    if let to {
      guard let receiver = receivers.first(where: { $0.id == to && !$0.isHidden }) else { return false }
      counters.signals.add(1)
      receiver.channel?.send(.signal(signal, from: nil))
      return true
    }
    counters.signals.add(1)
    broadcast(.signal(signal, from: nil)) { $0.permissions.contains(.subscribe) }
    return true
  }
}
