import Basics
import Meetings
import Signaling

/// An action that the audit log has before it is carried out.
struct AuditedAction: Sendable, Hashable {
  var action: String
  /// The participant, poll or other thing that it is done to.
  var target: String
  /// More about it, such as the role that is given or the sources that are muted.
  var detail: String

  init(_ action: String, _ target: String = "", _ detail: String = "") {
    self.action = action
    self.target = target
    self.detail = detail
  }

  /// Whether the entry of `other` stands for this action too.
  func isSame(as other: AuditedAction?) -> Bool { action == other?.action && target == other?.target }
}

/// A request of a participant that is in.
enum MemberRequest: Hashable {
  case room(RoomRequest)
  case lock(Bool)
}

/// Carries requests out. No audited action is carried out before its entry is on the disk. A server that is killed
/// between the two leaves an entry of an action that wasn't done, but never an action without its entry.
extension RoomMachine {
  /// Carries a request out or refuses it, and answers a client that gave it a number.
  func perform(_ request: RoomRequest, id: Int?, _ member: RoomMember, _ channel: RoomChannel) {
    // Typing is repeated again and again, and nobody waits for an answer.
    if case .chat(.typing(let active, let to)) = request { return setTyping(active, to: to, member) }
    let isInPace =
      if case .chat = request {
        member.chatting.takeChange(now.instant)
      } else {
        member.rateLimiter.take(request, now: now.instant)
      }
    guard isInPace else { return refuseHaste(channel, id: id) }
    perform(.room(request), id: id, member, channel)
  }

  /// Carries a request out, refuses it, or waits for its audit entry. `audited` is the action whose entry is written.
  /// It is authorised again after the wait, since others come, go and decide during it.
  func perform(
    _ request: MemberRequest, id: Int?, _ member: RoomMember, _ channel: RoomChannel, audited: AuditedAction? = nil
  ) {
    do throws(SignalingRefusal) {
      let authorised = try authorise(request, by: member)
      if let action = authorised.action, !action.isSame(as: audited) {
        if let audited { auditUndone(audited, by: member, "something else came first") }
        audit([action], by: member)
        let asked = PendingOperations.Asked(
          request: .member(request, audited: action), id: id, member: member, channel: channel)
        return output.append(.wait(.audit(token: pending.add(asked))))
      }
      // The end of the meeting answers itself.
      if case .endMeeting = authorised.change { return endMeeting(by: member, id: id, channel) }
      apply(authorised.change, by: member)
      // By then the events that followed from it are written too.
      acknowledge(id, channel, awaitsBan: authorised.change.isBan, awaitsEvents: audited != nil)
    } catch {
      if let audited { auditUndone(audited, by: member, error.message) }
      channel.refuse(error, id: id)
    }
  }

  /// The audit entries of a request are on the disk, or can't be written just now. In the latter case entries wait
  /// (``RoomEvents``) but the request doesn't: a full disk must not keep a host from moderating.
  func resumeRequest(_ token: UInt64) {
    guard let asked = pending.removeRequest(token) else { return }
    switch asked.request {
    case .member(let request, let audited):
      guard roster.contains(asked.member) else {
        return auditUndone(audited, by: asked.member, "they are not in the meeting any more")
      }
      perform(request, id: asked.id, asked.member, asked.channel, audited: audited)
    case .lobby(let decision, let people, let isCut): resumeLobby(decision, people, isCut: isCut, asked)
    }
  }

  /// Adds audit entries for actions that a participant is about to carry out.
  func audit(_ actions: [AuditedAction], by member: RoomMember) {
    for action in actions {
      log(
        .info, "moderation",
        ["meeting": setup.identity.id, "by": member.id, "action": action.action, "participant": action.target])
      report(.rightUsed(by: member.person, action: action.action, target: action.target, detail: action.detail))
    }
  }

  /// Adds an audit entry that an action wasn't carried out after all.
  func auditUndone(_ action: AuditedAction, by member: RoomMember, _ why: String) {
    report(
      .rightUsed(by: member.person, action: action.action, target: action.target, detail: "not done: \(why)"))
  }

  /// Answers that a request is done, once its result and its audit entry are on the disk. A server that is killed right
  /// after the answer still knows both when it runs again.
  func acknowledge(_ id: Int?, _ channel: RoomChannel, awaitsBan: Bool = false, awaitsEvents: Bool = false) {
    keepState()
    guard let id else { return }
    output.append(
      .acknowledge(
        .init(
          id: id, channel: channel.channel, write: journal.writes, awaitsBan: awaitsBan, awaitsEvents: awaitsEvents)))
  }

  /// A host ends the meeting. Everybody else is out at once; the host gets an answer when the end is on the disk.
  private func endMeeting(by host: RoomMember, id: Int?, _ channel: RoomChannel) {
    let message = "A host has ended the meeting."
    guard let id else { return end(.endedByHost, message) }
    host.channel = nil
    end(.endedByHost, message)
    output.append(
      .acknowledge(
        .init(
          id: id, channel: channel.channel, write: journal.writes, awaitsEvents: true, ending: message)))
  }

  // MARK: Pace

  /// Whether a participant may send a request now other than a ``RoomRequest``; refuses one that comes too soon.
  func isInPace(_ member: RoomMember, _ channel: RoomChannel, id: Int? = nil) -> Bool {
    if member.rateLimiter.takeAny(now: now.instant) { return true }
    refuseHaste(channel, id: id)
    return false
  }

  func refuseHaste(_ channel: RoomChannel, id: Int?) {
    channel.refuse(.tooFast, "That was asked for too often. Wait a moment.", id: id)
  }
}
