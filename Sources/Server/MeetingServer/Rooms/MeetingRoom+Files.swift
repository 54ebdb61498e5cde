import FoundationEssentials
import Meetings
import Signaling

/// What HTTP is answered, beside ``MeetingRoom/Refusal``, which signalling is.
typealias HTTPRefusal = Refusal

/// Files in the chat, and its export: what HTTP asks of the room. Who may is decided here, as for everything else.
extension MeetingRoom {
  /// The participant of a place, for a request from a page of `origin`.
  private func holder(_ participant: String, _ origin: String?) throws(HTTPRefusal) -> RoomMember {
    guard !isClosed, let member = members[participant] else { throw ChatEndpoints.unknown }
    guard origin == nil || origin == member.origin else {
      throw HTTPRefusal(403, "wrongOrigin", "The place in the meeting belongs to a page of another origin.")
    }
    return member
  }

  /// Whether a participant may send a file now, to everybody or to one; counts it as on the way. Returns the limit of the tenant, if it has one
  /// of its own.
  func beginFile(of participant: String, to: String?, origin: String?) throws(HTTPRefusal) -> Int? {
    let member = try holder(participant, origin)
    if let refusal = refusal(toWriteTo: to, member) { throw Self.http(refusal) }
    guard member.chatting.uploads < ChatSeat.maximumUploads, member.chatting.takeFile(Monotonic.now) else {
      throw HTTPRefusal(
        429, "tooFast", "Too many files at once. Wait until the others are sent.", limit: .chatFileRate)
    }
    member.chatting.uploads += 1
    return member.admission.tenant.policy.maximumChatBytes
  }

  /// A file came whole, or did not: the message that it hangs on, on the disk where the chat is kept, and given to those it is for.
  func endFile(
    _ file: ChatFile?, of participant: String, to: String?, origin: String?
  ) async throws(HTTPRefusal) -> ChatEntry? {
    members[participant]?.chatting.uploads -= 1
    guard let file else { return nil }
    let member = try holder(participant, origin)
    // Minutes may have passed.
    if let refusal = refusal(toWriteTo: to, member) { throw Self.http(refusal) }
    spend(file, member)
    let entry = ChatEntry(
      id: chat.nextID(), from: member.id, name: member.name, text: file.name, time: .kept, to: to, file: file)
    let person = member.person
    if let place = pass(entry), let book = doors.running {
      let isWritten = await book.isWritten(place, of: identity.id)
      told(through: place, isWritten: isWritten)
      guard isWritten || chat.entry(file: file.id) != nil else {
        throw HTTPRefusal(503, "fileNotStored", "The server cannot keep the file just now. Try again in a moment.")
      }
    }
    // The tenant's server hears of what everybody sees; what two say to each other stays theirs.
    if to == nil { note(.chatFile(person, file)) }
    return entry
  }

  /// A file that a participant may read now.
  func file(_ id: String, for participant: String, origin: String?) throws(HTTPRefusal) -> ChatFile {
    let member = try holder(participant, origin)
    prune()
    guard let entry = chat.entry(file: id), isVisible(entry, to: member), let file = entry.file else {
      throw HTTPRefusal(404, "noSuchFile", "There is no such file in this meeting, or it was deleted.")
    }
    return file
  }

  /// What everybody could see of the chat, for a host: as much of it as this host was told.
  /// The place is that of the entry in the audit log, which is to be written before anything is told.
  func export(for participant: String, origin: String?) throws(HTTPRefusal) -> (messages: [ChatEntry], entry: UInt64) {
    let member = try holder(participant, origin)
    guard member.permissions.contains(.moderate) else {
      throw Self.http(.notAllowed(sentence(for: .moderate, member)))
    }
    if let reached = events.refusalOfRights { throw HTTPRefusal(reached) }
    let entry = note(.rightUsed(by: member.person, action: "exportChat", target: ""))
    return (openChat().filter { isVisible($0, to: member) }, entry)
  }

  /// What everybody could see of the chat and is kept.
  func openChat() -> [ChatEntry] {
    prune()
    return chat.open
  }

  private static func http(_ refusal: RequestRefusal) -> HTTPRefusal {
    HTTPRefusal(refusal.code == .notAllowed ? 403 : 400, refusal.code.rawValue, refusal.sentence)
  }
}
