import FoundationEssentials
import Meetings
import Signaling

/// Files in the chat and its export, for HTTP. Rights are checked here, as for everything else.
extension RoomMachine {
  /// The participant of a session, for a request from a page of `origin`.
  private func holder(_ participant: String, _ origin: String?) throws(Refusal) -> RoomMember {
    guard !isClosed, let member = roster[participant] else { throw ChatEndpoints.unknown }
    guard origin == nil || origin == member.origin else {
      throw Refusal(403, "wrongOrigin", "The place in the meeting belongs to a page of another origin.")
    }
    return member
  }

  /// Whether a participant may send a file now, to everybody or to one; counts it as on the way. Returns the limit of
  /// the tenant, if it has one of its own.
  func beginFile(of participant: String, to: String?, origin: String?) throws(Refusal) -> Int? {
    let member = try holder(participant, origin)
    if let refusal = refusal(toWriteTo: to, member) { throw Self.http(refusal) }
    dropHeldFiles(of: member)
    guard member.chatting.uploads + member.chatting.heldFiles.count < ParticipantChat.maximumUploads,
      member.chatting.takeFile(now.instant)
    else {
      throw Refusal(
        429, "tooFast", "Too many files at once. Wait until the others are sent.", limit: .chatFileRate)
    }
    member.chatting.uploads += 1
    return member.admission.tenant.policy.maximumChatBytes
  }

  /// An upload is over, whether the file is there or not.
  func endUpload(of participant: String) { roster[participant]?.chatting.uploads -= 1 }

  /// Sends the message of a complete file. Returns it with its sender, and the journal write that it waits for, if
  /// there is one.
  func addFile(
    _ file: ChatFile, of participant: String, to: String?, origin: String?
  ) throws(Refusal) -> FileMessage {
    let member = try holder(participant, origin)
    // The upload may have taken minutes.
    if let refusal = refusal(toWriteTo: to, member) { throw Self.http(refusal) }
    return addFile(file, text: file.name, of: member, to: to)
  }

  private func addFile(_ file: ChatFile, text: String, of member: RoomMember, to: String?) -> FileMessage {
    spend(file, member)
    let entry = ChatEntry(
      id: chat.nextID(), from: member.id, name: member.name, text: text, time: now.date.kept, to: to, file: file)
    return FileMessage(entry: entry, sender: member.person, write: addChat(entry))
  }

  /// Holds a complete file of an encrypted meeting until its sealed message comes. That is sealed after the upload,
  /// which may take longer than a key lasts.
  func holdFile(_ file: ChatFile, of participant: String, to: String?, origin: String?) throws(Refusal) {
    let member = try holder(participant, origin)
    if let refusal = refusal(toWriteTo: to, member) { throw Self.http(refusal) }
    roster.schedule(member.chatting.hold(file, to: to, now: now.instant))
  }

  /// Removes the files whose messages haven't come in time.
  func dropHeldFiles(of member: RoomMember) {
    let late = member.chatting.dropHeldFiles(now: now.instant)
    if !late.isEmpty { output.append(.removeFiles(late)) }
  }

  /// Sends the message of a file that is held, as ``addFile(_:of:to:origin:)`` does.
  func addHeldFile(
    _ id: String, text: String, of participant: String, origin: String?
  ) throws(Refusal) -> FileMessage {
    let member = try holder(participant, origin)
    guard EncryptionLimits.isEncoded(text, atMost: EncryptionLimits.fileMessageBytes) else {
      throw Refusal(
        400, "badMessage",
        "\"text\" is to be the sealed message about the file: 1 to "
          + "\(EncryptionLimits.fileMessageBytes) bytes in base64url.")
    }
    guard let held = member.chatting.release(id, now: now.instant) else {
      throw Refusal(404, "noSuchFile", "No file of this id waits for its message. Send the file again.")
    }
    if let refusal = refusal(toWriteTo: held.to, member) {
      output.append(.removeFiles([id]))
      throw Self.http(refusal)
    }
    return addFile(held.file, text: text, of: member, to: held.to)
  }

  struct FileMessage {
    var entry: ChatEntry
    var sender: RoomEvent.Person
    var write: UInt64?
  }

  /// Reports a file to the webhooks once its message is delivered, if everybody can see it. Throws when it couldn't be
  /// kept.
  func completeFile(_ message: FileMessage, isWritten: Bool) throws(Refusal) {
    guard let file = message.entry.file else { return }
    guard isWritten || chat.entry(file: file.id) != nil else {
      throw Refusal(503, "fileNotStored", "The server cannot keep the file just now. Try again in a moment.")
    }
    // Webhooks get only what everybody sees; private messages stay private.
    if message.entry.to == nil { report(.chatFile(message.sender, file)) }
  }

  /// A file that a participant may read now.
  func file(_ id: String, for participant: String, origin: String?) throws(Refusal) -> ChatFile {
    let member = try holder(participant, origin)
    prune()
    guard let entry = chat.entry(file: id), isVisible(entry, to: member), let file = entry.file else {
      throw Refusal(404, "noSuchFile", "There is no such file in this meeting, or it was deleted.")
    }
    return file
  }

  /// The messages to everybody that this host got. Adds the audit entry, which is to be written before anything is
  /// sent.
  func exportChat(for participant: String, origin: String?) throws(Refusal) -> [ChatEntry] {
    let member = try holder(participant, origin)
    guard member.permissions.contains(.moderate) else {
      throw Self.http(.notAllowed(sentence(for: .moderate, member)))
    }
    if let auditBacklog { throw Refusal(auditBacklog) }
    report(.rightUsed(by: member.person, action: "exportChat", target: ""))
    return openChat().filter { isVisible($0, to: member) }
  }

  /// The kept messages that everybody could see.
  func openChat() -> [ChatEntry] {
    prune()
    return chat.open
  }

  private static func http(_ refusal: SignalingRefusal) -> Refusal {
    Refusal(refusal.code == .notAllowed ? 403 : 400, refusal.code.rawValue, refusal.message)
  }
}
