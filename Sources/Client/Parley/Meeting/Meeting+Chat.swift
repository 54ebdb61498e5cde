import Basics
public import Signaling
import Transport

/// The chat beyond writing: changing and deleting messages, typing, files, export.
extension Meeting {
  /// Gives an own message another text. Only messages of this client's present session can be changed, and only while
  /// the meeting keeps them.
  ///
  /// ```swift
  /// if let mine = meeting.chat.last(where: { $0.from == meeting.local.id }) {
  ///   try await meeting.edit(mine, text: "Better so.")
  /// }
  /// ```
  public func edit(_ message: ChatMessage, text: String) async throws(JoinError) {
    try await request(.chat(.edit(message.id, text: try onTheWire(chat: text))))
  }

  /// Takes a message away, with its file: an own one, or as a host any that everybody sees.
  ///
  /// ```swift
  /// if let last = meeting.chat.last { try await meeting.delete(last) }
  /// ```
  public func delete(_ message: ChatMessage) async throws(JoinError) { try await request(.chat(.delete(message.id))) }

  /// Notifies the others that this client's person types, or has stopped. It ends by itself after some seconds: repeat
  /// it every two or three while they go on.
  ///
  /// ```swift
  /// meeting.setTyping(true)
  /// meeting.setTyping(true, to: participant)  // only they see it
  /// ```
  public func setTyping(_ isTyping: Bool, to recipient: RemoteParticipant? = nil) {
    guard state != .ended, let signaling, signaling.isWelcome else { return }
    _ = signaling.channel.send(.room(.chat(.typing(isTyping, to: recipient?.id)), id: nil))
  }

  // MARK: Files

  /// The most bytes of a file that the meeting takes; 0 where it takes none.
  public var chatFileLimit: Int { info?.chat?.fileLimit ?? 0 }

  /// Sends a file. It comes to everybody as a message with a ``ChatEntry/file``, this client included.
  ///
  /// ```swift
  /// let sent = try await meeting.send(file: bytes, name: "notes.txt")
  /// print("Sent as \(sent.file?.type ?? "")")
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: The content: 1 to ``chatFileLimit`` bytes.
  ///   - name: The file's name. The server cleans it.
  ///   - recipient: The one who is to get it; nil for everybody.
  /// - Returns: The message as the server keeps it.
  @discardableResult
  public func send(
    file bytes: [UInt8], name: String, to recipient: RemoteParticipant? = nil
  ) async throws(JoinError) -> ChatMessage {
    if let secret { return try await send(sealed: bytes, name: name, to: recipient, secret) }
    var headers: HTTPHeaders = [
      "Content-Type": "application/octet-stream", "Parley-File-Name": Self.percentEncoded(name),
    ]
    if let recipient { headers["Parley-File-To"] = recipient.id }
    let body = try await upload(bytes, headers)
    guard let answer = try? SignalingDecoder().decode([String: ChatEntry].self, from: body),
      let entry = answer["message"]
    else { throw .notParley("The server took the file and answered with something else than a message.") }
    return entry
  }

  /// Fetches the file of a message.
  ///
  /// ```swift
  /// if let file = message.file { print("\(file.name): \(try await meeting.download(file).count) bytes") }
  /// ```
  ///
  /// - Throws: ``JoinError``; in encrypted meetings with the code `damagedFile` for a file that was changed or cut on
  ///   its way, `fileTooLarge` for one that is larger than the meeting takes, and `encrypted` for one whose message
  ///   this client could not read.
  public func download(_ file: ChatFile) async throws(JoinError) -> [UInt8] {
    if let secret { return try await download(sealed: file, secret) }
    return try await fetch(file.id, size: file.size)
  }

  func upload(_ bytes: [UInt8], _ headers: HTTPHeaders) async throws(JoinError) -> [UInt8] {
    // As slow as the server allows, and then some.
    try await chatRequest(
      "POST", "/files", headers, bytes, limit: 1 << 20, timeout: .seconds(60 + Int64(bytes.count >> 14)))
  }

  func fetch(_ id: String, size: Int) async throws(JoinError) -> [UInt8] {
    try await chatRequest(
      "GET", "/files/\(id)", limit: max(size, 1 << 16), timeout: .seconds(60 + Int64(size >> 14)))
  }

  /// The part of the chat that everybody could see, as text or JSON. Hosts only.
  ///
  /// ```swift
  /// let text = String(decoding: try await meeting.exportChat(.text), as: UTF8.self)
  /// ```
  public func exportChat(_ format: ChatExportFormat = .text) async throws(JoinError) -> [UInt8] {
    try await chatRequest("GET", "/export?format=\(format.rawValue)", limit: 64 << 20, timeout: .seconds(60))
  }

  func chatRequest(
    _ method: String, _ path: String, _ headers: HTTPHeaders = [:], _ body: [UInt8] = [], limit: Int, timeout: TimeSpan,
    receive: (@Sendable ([UInt8]) -> Bool)? = nil
  ) async throws(JoinError) -> [UInt8] {
    guard state != .ended else { throw .ended }
    guard let signaling, signaling.isWelcome, let server = Self.server(of: signaling.document.signaling) else {
      throw .unreachable("The server cannot be reached just now. Try again when the connection is back.")
    }
    var headers = headers
    headers["Authorization"] = "Bearer \(signaling.resumeToken.value)"
    let response: HTTPClient.Response
    do throws(TransportError) {
      response = try await HTTPClient.request(
        method, server + "/api/chat" + path, headers: headers, body: body, limit: limit, timeout: timeout,
        allowsSelfSigned: options.trustsAnyCertificate, receive: receive)
    } catch { throw JoinError(error, reaching: server) }
    guard (200...299).contains(response.status) else { throw MeetingLocation.refusal(response, server) }
    return response.body
  }

  /// The server of a signalling address: the same host, over HTTP.
  private static func server(of signaling: String) -> String? {
    let parts = signaling.split(separator: "/", maxSplits: 2)
    guard parts.count >= 2, parts[0] == "ws:" || parts[0] == "wss:" else { return nil }
    return (parts[0] == "wss:" ? "https://" : "http://") + parts[1].prefix { $0 != "?" }
  }

  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { out, byte in
      let isPlain = (48...57).contains(byte) || (97...122).contains(byte | 32) || byte == 45 || byte == 46 || byte == 95
      out += isPlain ? String(Unicode.Scalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
  }

  // MARK: Notices

  func take(_ notice: ChatNotice) {
    switch notice {
    case .changed(let sealed): if let entry = opened(sealed, isHistory: false, mayWait: false) { takeChanged(entry) }
    case .typing(let id, let active, let to):
      guard let sender = roster[id] else { return }
      emit(.chatting(.typing(sender, isTyping: active, isPrivate: to != nil)))
    }
  }
}

extension Meeting {
  /// A message that is there has another text.
  func takeChanged(_ entry: ChatEntry) {
    guard chatMessages.differs(from: entry) else { return }
    chatMessages.replace(entry)
    emit(.chatting(.changed(entry)))
  }
}

/// An event of the chat that isn't a new message: ``MeetingEvent/chatting(_:)``.
///
/// ```swift
/// for await case .chatting(let event) in meeting.events {
///   switch event {
///   case .changed(let message): print(message.deleted == nil ? "Now: \(message.text)" : "Deleted.")
///   case .typing(let participant, let isTyping, _):
///     print("\(participant.name) \(isTyping ? "types …" : "types no more")")
///   }
/// }
/// ```
public enum ChatEvent: Sendable {
  /// A message has another text, or was taken away: ``ChatEntry/deleted``. ``Meeting/chat`` has it in its old place.
  case changed(ChatMessage)
  /// Somebody types, or types no more; `isPrivate` when they write to this client alone.
  case typing(RemoteParticipant, isTyping: Bool, isPrivate: Bool)
}

/// How ``Meeting/exportChat(_:)`` writes the chat.
///
/// ```swift
/// let lines = try await meeting.exportChat(ChatExportFormat.text)
/// let document = try await meeting.exportChat(ChatExportFormat.json)
/// ```
public enum ChatExportFormat: String, Sendable, Hashable, CaseIterable {
  /// A line a message, for people.
  case text
  /// A document, for programs.
  case json
}

/// A file that hangs on a chat message.
///
/// ```swift
/// func words(_ file: ChatAttachment) -> String { "\(file.name), \(file.size) bytes, \(file.type)" }
/// ```
public typealias ChatAttachment = ChatFile
