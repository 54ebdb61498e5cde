import Meetings
import Signaling

/// The state of the meeting as a participant sees it, and its polls.
extension RoomMachine {
  /// The state of the meeting as one participant sees it.
  func state(for viewer: RoomMember) -> RoomState {
    RoomState(
      spotlight: moderation.spotlight, muteAll: moderation.muteAll?.info,
      polls: viewer.permissions.contains(.subscribe)
        ? polls.all(for: viewer.id, moderates: viewer.permissions.contains(.moderate)) : [])
  }

  /// Sends everybody a poll as they may see it.
  func notifyPoll(_ poll: Int) {
    for moderates in [false, true] {
      guard let info = polls.info(poll, moderates: moderates) else { return }
      broadcast(.room(.poll(info))) {
        $0.permissions.contains(.subscribe) && $0.permissions.contains(.moderate) == moderates
      }
    }
  }
}
