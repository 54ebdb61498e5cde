import Basics
import FoundationEssentials
import Meetings
import Signaling

/// The calls of HTTP, the REST APIs and the administration.
extension MeetingRoom {
  typealias Stream = RoomMachine.Stream
  typealias Connection = RoomMachine.Connection

  // MARK: Administration

  /// Everybody who is in, in the order in which they came, hidden participants too.
  func people() -> [ParticipantView] { update { $0.people() } }

  /// A participant's display name; nil when nobody of that id is in the meeting.
  func name(of id: String) -> String? { machine.roster[id]?.name }

  /// Takes a participant out of the meeting, permanently where `banning`; nil when nobody of that id is in it. The task
  /// returns whether that is on the disk.
  func dismiss(_ id: String, banning: Bool = false) -> Task<Bool, Never>? {
    guard update({ $0.dismiss(id, banning: banning) }) else { return nil }
    return banning ? ban : Task { await isKept() }
  }

  // MARK: Files in the chat

  /// Whether a participant may send a file now, to everybody or to one; counts it as on the way. Returns the limit of
  /// the tenant, if it has one of its own.
  func beginFile(of participant: String, to: String?, origin: String?) throws(HTTPRefusal) -> Int? {
    try update { machine throws(HTTPRefusal) in try machine.beginFile(of: participant, to: to, origin: origin) }
  }

  /// An upload is over: sends the message of a complete file, once it is on the disk if the meeting keeps its chat.
  func endFile(
    _ file: ChatFile?, of participant: String, to: String?, origin: String?
  ) async throws(HTTPRefusal) -> ChatEntry? {
    update { $0.endUpload(of: participant) }
    guard let file else { return nil }
    return try await complete(
      try update { machine throws(HTTPRefusal) in
        try machine.addFile(file, of: participant, to: to, origin: origin)
      })
  }

  /// An upload to an encrypted meeting is over: holds the complete file until its sealed message comes.
  func holdFile(
    _ file: ChatFile, of participant: String, to: String?, origin: String?
  ) throws(HTTPRefusal) {
    update { $0.endUpload(of: participant) }
    try update { machine throws(HTTPRefusal) in
      try machine.holdFile(file, of: participant, to: to, origin: origin)
    }
  }

  /// Sends the sealed message of a file that is held.
  func sendHeldFile(
    _ id: String, text: String, of participant: String, origin: String?
  ) async throws(HTTPRefusal) -> ChatEntry {
    try await complete(
      try update { machine throws(HTTPRefusal) in
        try machine.addHeldFile(id, text: text, of: participant, origin: origin)
      })
  }

  private func complete(_ message: RoomMachine.FileMessage) async throws(HTTPRefusal) -> ChatEntry {
    var isWritten = true
    if let write = message.write, let running = dependencies.running {
      isWritten = await running.isWritten(journalPlace, of: identity.id)
      apply(.journalWritten(through: write, isWritten))
    }
    try update { machine throws(HTTPRefusal) in try machine.completeFile(message, isWritten: isWritten) }
    return message.entry
  }

  /// A file that a participant may read now.
  func file(_ id: String, for participant: String, origin: String?) throws(HTTPRefusal) -> ChatFile {
    try update { machine throws(HTTPRefusal) in try machine.file(id, for: participant, origin: origin) }
  }

  /// The chat that everybody could see, for a host: as much of it as this host got. The audit entry with the returned
  /// number is to be written before anything is sent.
  func export(for participant: String, origin: String?) throws(HTTPRefusal) -> (messages: [ChatEntry], entry: UInt64) {
    let messages = try update { machine throws(HTTPRefusal) in
      try machine.exportChat(for: participant, origin: origin)
    }
    return (messages, lastEvent)
  }

  /// The kept messages that everybody could see.
  func openChat() -> [ChatEntry] { update { $0.openChat() } }

  // MARK: OpenTok

  /// Every stream, in the order in which their owners came.
  var streams: [Stream] { machine.streams }

  /// Every connection, in the order in which they came.
  var connections: [Connection] { machine.connections }

  /// Gives streams other layout classes, all or none; nil when one of the streams isn't there. Returns them as they are
  /// now.
  func setLayoutClasses(_ classes: [String: [String]]) -> [Stream]? { update { $0.setLayoutClasses(classes) } }

  /// Mutes the audio of a stream. False when it isn't there.
  func mute(stream id: String) -> Bool { update { $0.mute(stream: id) } }

  /// Mutes the audio of every stream but of these, now and from now on.
  func muteStreams(except streams: [String]) { update { $0.muteStreams(except: streams) } }

  /// New tracks start as their sender wants.
  func liftMuteAll() { update { $0.liftMuteAll() } }

  /// Takes a participant out. False when there is no such connection.
  func disconnect(_ id: String) -> Bool { update { $0.disconnect(id) } }

  /// Sends a signal of the tenant's own server. False when the one it is for isn't here, or may not receive.
  func deliver(_ signal: Signal, to: String?) -> Bool { update { $0.deliver(signal, to: to) } }
}

/// The refusal that HTTP gets, next to ``MeetingRoom/Refusal``, which signalling is.
typealias HTTPRefusal = Refusal
