import Meetings
import Signaling

/// A right that a host is about to use, as the audit log is to have it.
struct RightUse: Sendable, Hashable {
  var action: String
  /// To whom or what it is done.
  var target: String
  /// What it comes to: the role that is given, the sources that are muted.
  var detail: String

  init(_ action: String, _ target: String = "", _ detail: String = "") {
    self.action = action
    self.target = target
    self.detail = detail
  }
}

/// Something that was asked for and may be done.
struct Deed {
  /// Does it. Where the task that it returns has not ended, it is not written down yet.
  typealias Act = () -> Task<Bool, Never>?

  /// The right that is used by it; nil where anybody may do it, or nothing is changed by it.
  var use: RightUse?
  /// Whether ``act`` answers itself.
  var answersItself = false
  var act: Act

  init(_ use: RightUse? = nil, answersItself: Bool = false, act: @escaping Act = { nil }) {
    self.use = use
    self.answersItself = answersItself
    self.act = act
  }
}

/// How what participants ask for is done. No right is used before it is on the disk who uses it: a server that is killed between the two leaves an
/// entry of what was not done, and never something done without its entry.
extension MeetingRoom {
  /// Does what `find` says may be done. It is asked again after the wait for the disk, since meanwhile others come, go and decide.
  func carryOut(
    id: Int?, _ member: RoomMember, _ channel: SignalingChannel, _ find: () throws(RequestRefusal) -> Deed
  ) async {
    var noted: RightUse?
    let written: Task<Bool, Never>?
    do throws(RequestRefusal) {
      var deed = try find()
      while let use = deed.use, use.action != noted?.action || use.target != noted?.target {
        if let noted { noteUndone(noted, member, "something else came first") }
        noted = use
        await noteRights([use], member)
        guard members[member.id] === member else {
          return noteUndone(use, member, "they are not in the meeting any more")
        }
        deed = try find()
      }
      written = deed.act()
      if deed.answersItself { return }
    } catch {
      if let noted { noteUndone(noted, member, error.sentence) }
      return channel.refuse(error.code, error.sentence, id: id)
    }
    // What followed from it is written by then too.
    answer(id, channel, after: written, note: noted == nil ? nil : lastNote)
  }

  /// Has it written down that a host is about to use rights, and waits until that is on the disk. On a disk that cannot be written just now the entries wait
  /// (``RoomEvents``), and hosts do not: nobody has to bear somebody else for want of space.
  func noteRights(_ uses: [RightUse], _ member: RoomMember) async {
    for use in uses {
      log.info(
        "moderation",
        ["meeting": identity.id, "by": member.id, "action": use.action, "participant": use.target])
      note(.rightUsed(by: member.person, action: use.action, target: use.target, detail: use.detail))
    }
    if !uses.isEmpty { _ = await events.isWritten(lastNote) }
  }

  /// Has it written down that what stands in the log was not done after all.
  func noteUndone(_ use: RightUse, _ member: RoomMember, _ why: String) {
    note(.rightUsed(by: member.person, action: use.action, target: use.target, detail: "not done: \(why)"))
  }

  /// Says that what a client asked for under a number is done, as soon as that and who did it is on the disk: done is what a server that ends this
  /// moment still knows when it runs again. `ban` is what has to be written besides, `note` the place of the last event that came of it.
  func answer(_ id: Int?, _ channel: SignalingChannel, after ban: Task<Bool, Never>? = nil, note: UInt64? = nil) {
    let (place, book) = (keepState(), doors.running)
    guard let id else { return }
    if note == nil, book?.has(place, of: identity.id) ?? true { return channel.send(.room(.done(id: id))) }
    Task { [events, meeting = identity.id] in
      if let ban, !(await ban.value) {
        let sentence = "They are out, but the server could not write down that they may not come back."
        return channel.refuse(.internalError, sentence, id: id)
      }
      let isKept = await book?.isWritten(place, of: meeting) ?? true
      told(through: place, isWritten: isKept)
      let isNoted = if let note { await events.isWritten(note) } else { true }
      channel.answer(id, isWritten: isKept && isNoted)
    }
  }
}
