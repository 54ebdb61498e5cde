import Basics
import FoundationEssentials
import Meetings
import RTC
import SFU
import Signaling

@testable import MeetingServer

/// Everything that must hold after each command, and at the end of a run.
extension RoomSimulation {
  /// Whether something waits for the disk.
  private var isWriting: Bool { work.contains { if case .journal = $0 { true } else { false } } }

  func check() {
    guard problem == nil else { return }
    let capacity = record.capacity ?? 500
    // A lower capacity sends nobody away, and here it doesn't change.
    if machine.roster.count + machine.roster.reserved > capacity {
      return fail("\(machine.roster.count) are in and \(machine.roster.reserved) on the way, \(capacity) fit")
    }
    guard !machine.isClosed else { return }
    for waiter in machine.lobby.waiters where machine.roster[waiter.id] != nil {
      return fail("\(waiter.id) waits and is in")
    }
    var changed = view.update(machine)
    let chat = machine.chat.all
    if chat != comparedChat {
      comparedChat = chat
      changed.formUnion(.chat)
    }
    let isWriting = isWriting
    let votesArePending = machine.pollChanges.deadline != nil
    for client in clients where client.isInside {
      client.due.formUnion(changed)
      compare(client, votesArePending: votesArePending, chatIsPending: isWriting)
    }
    if disk.hasChanged || changed.has(.polls) || changed.has(.chat) || isDecided {
      checkJournal(chatIsPending: isWriting)
    }
    carryOut(machine.drainEffects())
  }

  /// Whether hosts have decided something since the journal was last compared.
  private var isDecided: Bool {
    machine.lobby.isLocked != comparedDecisions.isLocked || machine.moderation.overrides != comparedDecisions.decisions
      || machine.moderation.muteAll != comparedDecisions.muteAll
      || machine.moderation.spotlight != comparedDecisions.spotlight
  }

  /// A client that applied all messages believes the same as a new client. Only the parts are compared that changed in
  /// the room or in the belief since the last comparison; the others would compare as they did then.
  private func compare(_ client: Client, votesArePending: Bool, chatIsPending: Bool) {
    guard let member = machine.roster[client.id], let belief = client.belief else {
      return fail("\(client.id) believes to be in")
    }
    let slots = member.slots.info
    if slots != client.slots || member.permissions.rawValue != client.permissions.rawValue
      || member.chatting.since != client.chatSince
    {
      (client.slots, client.permissions, client.chatSince) = (slots, member.permissions, member.chatting.since)
      client.due.formUnion([.own, .polls, .chat])
    }
    guard client.due.rawValue != 0 else { return }
    var difference = belief.difference(from: view, for: member, in: client.due, votesArePending: votesArePending)
    // A change of the chat reaches participants once it is on the disk, and a welcome at once.
    let comparesChat = client.due.has(.chat) && !chatIsPending
    if difference == nil, comparesChat {
      machine.begin(now)
      difference = belief.difference(from: machine.history(for: member))
    }
    if let difference { return fail("\(client.id) believes otherwise: \(difference)") }
    client.due = RoomParts(
      rawValue: (votesArePending ? RoomParts.polls.rawValue : 0)
        | (client.due.has(.chat) && !comparesChat ? RoomParts.chat.rawValue : 0))
  }

  /// The journal has what hosts decided, the polls and the chat of this moment. At a run's end a room is restored from
  /// it.
  private func checkJournal(chatIsPending: Bool) {
    guard machine.journal.wasEntered else { return }
    // Messages are in the chat once they are on the disk.
    disk.hasChanged = chatIsPending
    let moderation = machine.moderation
    comparedDecisions = RoomSnapshot(
      isLocked: machine.lobby.isLocked, decisions: moderation.overrides, muteAll: moderation.muteAll,
      spotlight: moderation.spotlight)
    if disk.decisions != comparedDecisions {
      return fail("the journal has \(disk.decisions)\n  the room \(comparedDecisions)")
    }
    for poll in view.moderatorPolls {
      guard let kept = disk.polls[RoomJournal.pollName + String(poll.id)] else {
        return fail("poll \(poll.id) isn't in the journal")
      }
      let counts = poll.options.indices.map { option in kept.votes.values.count { $0.contains(option) } }
      if kept.isOpen != poll.isOpen || counts != poll.options.map({ $0.votes ?? 0 }) {
        return fail("the journal has \(kept)\n  the room \(poll)")
      }
    }
    if disk.polls.count != view.moderatorPolls.count { return fail("the journal has \(disk.polls.count) polls") }
    guard !chatIsPending, machine.keepsChat(record.chat) else { return }
    if disk.messages.count != comparedChat.count { return fail("the journal has \(disk.messages.count) messages") }
    for entry in comparedChat where disk.entries[entry.id] != entry {
      return fail("the journal lacks \(entry)")
    }
  }

  /// A new client gets the state of ``RoomView``.
  func checkWelcome(of client: Client) {
    guard let member = machine.roster[client.id] else { return }
    machine.begin(now)
    let fresh = RoomBelief(machine.welcome(of: member, "", nil))
    let difference =
      fresh.difference(from: view, for: member, votesArePending: false)
      ?? fresh.difference(from: machine.history(for: member))
    if let difference { fail("a welcome of \(client.id) says otherwise: \(difference)") }
  }

  /// A room that is restored from the journal has what hosts decided, the polls and the chat, and gives participants
  /// back what was theirs.
  func checkRestart() {
    guard machine.journal.wasEntered else { return }
    let restored = RoomMachine(record, setup: Self.setup(record, endsPlaces: endsPlaces), now: now)
    restored.restore(
      RunningMeeting(values: disk.values, messages: disk.messages.sorted { $0.key < $1.key }.map(\.value)))
    if restored.lobby.isLocked != machine.lobby.isLocked { return fail("the lock is not restored") }
    if restored.moderation.overrides != machine.moderation.overrides { return fail("role overrides are not restored") }
    if restored.moderation.muteAll?.info != machine.moderation.muteAll?.info { return fail("muting is not restored") }
    if machine.keepsChat(record.chat), restored.chat.all != machine.chat.all {
      return fail("the chat is not restored: \(restored.chat.all)\n  it was \(machine.chat.all)")
    }
    // Everybody who can be known again comes back, under another id.
    var ids: [String: String] = [:]
    for client in clients where machine.roster[client.id]?.admission.grant.user != nil {
      var request = client.request
      if let member = machine.roster[client.id] { request.admission = member.admission }
      request.session = .init(participant: "again \(client.id)", resumeToken: "again \(client.id)")
      request.isAdmitted = true
      request.isChosen = true
      restored.roster.reserve()
      request.join.tracks = []
      ids[client.id] = request.session.participant
      do throws(MeetingRoom.Refusal) {
        _ = try restored.beginJoin(request, quota: nil)
        _ = try restored.joinAnswered(request.session.participant, .success(answer([])))
        try restored.completeJoin(of: request.session.participant, iceServers: nil)
      } catch {
        return fail("\(client.id) can't come back: \(error)")
      }
    }
    for (old, new) in ids {
      guard let before = machine.roster[old], let after = restored.roster[new] else { continue }
      if before.role != after.role || before.permissions != after.permissions {
        return fail(
          "\(old) was \(before.role) \(before.permissions.names), is \(after.role) \(after.permissions.names)")
      }
      let (was, now) = (machine.polls.all(for: old, moderates: true), restored.polls.all(for: new, moderates: true))
      for (was, now) in zip(was, now) where was.mine != now.mine || was.isOpen != now.isOpen {
        return fail("\(old) had chosen \(was), has \(now)")
      }
      if was.map(\.id) != now.map(\.id) { return fail("there were \(was.count) polls, now \(now.count)") }
    }
    if let spotlight = machine.moderation.spotlight, let id = ids[spotlight], restored.moderation.spotlight != id {
      return fail("\(spotlight) was shown large, now \(restored.moderation.spotlight ?? "nobody")")
    }
  }
}
