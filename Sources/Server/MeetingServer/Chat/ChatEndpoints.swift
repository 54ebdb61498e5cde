import Basics
import Meetings
import Signaling
import Transport

/// Chat files and the chat's export over HTTP, for participants in the meeting.
///
/// A request carries the resume token of its session in the `Authorization` header; never in the URL, which logs and
/// proxies keep. When the session ends, so does all access to the files.
struct ChatEndpoints: Sendable {
  let directory: MeetingDirectory
  let files: ChatFileStore
  let counters: ServerCounters
  let log: Log

  /// Files are posted to this path, and read below it.
  static let files = "/api/chat/files"

  /// The refusal without a valid session.
  static let unknown = Refusal(
    401, "badCredential", "Only who is in the meeting gets this: send its resume token as Authorization: Bearer.")

  /// The reader of a request's body when it sends a file; nil otherwise.
  func sink(for request: HTTPRequest, limits: AddressLimits) -> (any HTTPBodySink)? {
    guard request.method == "POST", request.path == Self.files else { return nil }
    return ChatUpload(request, endpoints: self, addressLimits: limits)
  }

  /// `GET /api/chat/files/<id>`.
  func read(_ id: String, _ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    let (room, participant) = try await place(request)
    let file = try await room.file(id, for: participant, origin: request.headers["origin"])
    guard let path = await files.path(of: id, in: await room.filesKey) else {
      throw Refusal(404, "noSuchFile", "The file was deleted.")
    }
    counters.chatDownloads.add(1)
    return FileAnswer.response(file, path: path).withCrossOriginAccess()
  }

  /// `POST /api/chat/files/<id>`: the sealed message about a file, in an encrypted meeting.
  func send(_ id: String, _ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    let (room, participant) = try await place(request)
    var fields = try AdminFields(request)
    let text = try fields.text("text", 1...4_096)
    try fields.finish()
    let entry = try await room.sendHeldFile(
      id, text: text ?? "", of: participant, origin: request.headers["origin"])
    counters.chatFiles.add(1)
    return .json(["message": entry], status: 201).withCrossOriginAccess()
  }

  /// `GET /api/chat/export`.
  func export(_ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    let (room, participant) = try await place(request)
    var query = try AdminQuery(request.query)
    let format = try query.text("format", "text or json") { ChatExport.Format(rawValue: $0) != nil }
    try query.finish()
    let (messages, entry) = try await room.export(for: participant, origin: request.headers["origin"])
    guard await room.events.isWritten(entry) else {
      throw Refusal(
        503, "auditNotWritten", "The server cannot write down just now who reads the chat. Try again in a moment.")
    }
    return ChatExport(record: await room.meeting, messages: messages).response(
      format.flatMap(ChatExport.Format.init) ?? .text
    ).withCrossOriginAccess()
  }

  /// The session whose token a request has.
  func place(_ request: HTTPRequest) async throws(Refusal) -> (MeetingRoom, String) {
    guard let token = request.bearerToken, let place = await directory.place(token) else { throw Self.unknown }
    return place
  }
}

/// One file on its way in.
private actor ChatUpload: HTTPBodySink {
  nonisolated let limit: Int
  private let request: HTTPRequest
  private nonisolated let endpoints: ChatEndpoints
  private let addressLimits: AddressLimits
  private let name: String
  private let receiver: String?
  private let origin: String?
  private var place: (room: MeetingRoom, participant: String)?
  private var id: String?

  init(_ request: HTTPRequest, endpoints: ChatEndpoints, addressLimits: AddressLimits) {
    self.request = request
    self.endpoints = endpoints
    self.addressLimits = addressLimits
    limit = max(EncryptionLimits.sealedFileBytes(of: endpoints.files.limits.file), 1)
    name = FileName.clean(FormBody.decode(request.headers["parley-file-name"] ?? "", plusIsBlank: false))
    receiver = request.headers["parley-file-to"]
    origin = request.headers["origin"]
  }

  /// The client's address; nil for this machine, which may be a proxy that isn't configured as one.
  private var address: IPAddress? { request.remote.ip.isLoopback ? nil : request.remote.ip }

  /// A length that no meeting takes is refused before the session is looked for.
  nonisolated func refusal(ofLength length: Int) -> HTTPResponse { answer(refusalOfLength) }

  private nonisolated var refusalOfLength: Refusal {
    let most = endpoints.files.limits.file
    return refusal(of: most > 0 ? .tooLarge(limit: most) : .off)
  }

  func begin(length: Int) async -> HTTPResponse? {
    do throws(Refusal) {
      try addressLimits.take(request.remote.ip, now: MonotonicClock.now)
      let (room, participant) = try await endpoints.place(request)
      let isSealed = await room.meeting.isEncrypted == true
      if !isSealed, length > endpoints.files.limits.file { throw refusalOfLength }
      let tenantLimit = try await room.beginFile(of: participant, to: receiver, origin: origin)
      place = (room, participant)
      let sealed: (@Sendable (Int) -> Int)? = isSealed ? { @Sendable in EncryptionLimits.sealedFileBytes(of: $0) } : nil
      do throws(ChatFileRefusal) {
        id = try await endpoints.files.beginUpload(
          bytes: length, meeting: await room.filesKey, tenant: room.identity.tenant, from: address,
          fileLimit: room.meeting.chat.fileLimit,
          tenantLimit: tenantLimit,
          sealed: sealed)
      } catch {
        throw refusal(of: error)
      }
      return nil
    } catch {
      await giveUp()
      return answer(error)
    }
  }

  func take(_ piece: [UInt8]) async -> HTTPResponse? {
    guard let id else { return answer(ChatEndpoints.unknown) }
    do throws(ChatFileRefusal) {
      try await endpoints.files.append(piece, to: id)
      return nil
    } catch {
      await giveUp()
      return answer(refusal(of: error))
    }
  }

  func finish() async -> HTTPResponse {
    guard let id, let place else { return answer(ChatEndpoints.unknown) }
    do throws(Refusal) {
      let stored: ChatFileStore.Stored
      do throws(ChatFileRefusal) {
        stored = try await endpoints.files.finish(id)
      } catch {
        throw refusal(of: error)
      }
      if await place.room.meeting.isEncrypted == true { return answer(try await hold(stored, place)) }
      let file = ChatFile(id: id, name: name, type: stored.type, size: stored.size)
      self.place = nil
      guard
        let entry = try await place.room.endFile(file, of: place.participant, to: receiver, origin: origin)
      else { throw ChatEndpoints.unknown }
      endpoints.counters.chatFiles.add(1)
      endpoints.counters.chatFileBytes.add(UInt64(stored.size))
      endpoints.log.info(
        "chat.file",
        [
          "meeting": place.room.identity.id, "participant": place.participant, "type": stored.type,
          "bytes": stored.size,
        ])
      return answer(.json(["message": entry], status: 201))
    } catch {
      await giveUp()
      return answer(error)
    }
  }

  /// Holds ciphertext, of which the server knows no name and judges no type.
  private func hold(
    _ stored: ChatFileStore.Stored, _ place: (room: MeetingRoom, participant: String)
  ) async throws(Refusal) -> HTTPResponse {
    let file = ChatFile.sealed(id: stored.id, size: stored.size)
    self.place = nil
    try await place.room.holdFile(file, of: place.participant, to: receiver, origin: origin)
    endpoints.counters.chatFileBytes.add(UInt64(stored.size))
    endpoints.log.info(
      "chat.file",
      ["meeting": place.room.identity.id, "participant": place.participant, "type": file.type, "bytes": file.size])
    return .json(["file": file], status: 201)
  }

  func cancel() async { await giveUp() }

  private func giveUp() async {
    if let id { await endpoints.files.remove(id) }
    id = nil
    guard let place else { return }
    self.place = nil
    _ = try? await place.room.endFile(nil, of: place.participant, to: receiver, origin: origin)
  }

  private nonisolated func refusal(of error: ChatFileRefusal) -> Refusal {
    if case .failed(let reason) = error { endpoints.log.error("chat.file", ["reason": reason]) }
    let status =
      switch error {
      case .off: 403
      case .empty, .incomplete: 400
      case .tooLarge: 413
      case .meetingFull, .tenantFull: 409
      case .tooManyOnTheWay: 429
      case .diskFull: 507
      case .closed: 410
      case .failed: 500
      }
    let limit: LimitReached.Limit? =
      switch error {
      case .tooLarge: .chatFileLimit
      case .meetingFull: .chatMeetingLimit
      case .tenantFull: .maximumChatBytes
      case .tooManyOnTheWay: .chatUploads
      default: nil
      }
    return Refusal(status, error.code, error.description, limit: limit)
  }

  private nonisolated func answer(_ refusal: Refusal) -> HTTPResponse {
    endpoints.counters.limits.add(of: refusal)
    return answer(.refusal(refusal))
  }

  /// Adds the headers that every answer of the public port has.
  private nonisolated func answer(_ response: HTTPResponse) -> HTTPResponse {
    endpoints.counters.requests.add(1)
    if response.status >= 400 {
      endpoints.counters.requestErrors.add(1)
      endpoints.counters.chatFilesRefused.add(1)
    }
    var response = response.withCrossOriginAccess()
    if response.status == 429 { response.headers["Retry-After"] = "1" }
    for (name, value) in SecurityHeaders.all { response.headers[name] = value }
    return response
  }
}
