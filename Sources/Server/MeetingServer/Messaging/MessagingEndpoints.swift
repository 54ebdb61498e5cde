import Basics
import FoundationEssentials
import Meetings
import Messaging
import Transport

/// The HTTP side of the messaging service: attachments, and the keys of registration tokens.
struct MessagingEndpoints: Sendable {
  let hub: MailboxHub
  let store: any MeetingStore
  let files: AttachmentFiles
  let log: Log

  static let prefix = MessagingLimits.path + "/attachments/"

  /// The reader of a request's body when it sends an attachment; nil otherwise.
  func sink(for request: HTTPRequest, limits: AddressLimits) -> (any HTTPBodySink)? {
    guard request.method == "PUT", request.path.hasPrefix(Self.prefix) else { return nil }
    return AttachmentUpload(request, endpoints: self, addressLimits: limits)
  }

  /// `GET /messaging/v1/attachments/<id>`.
  func read(_ id: String, _ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    let transfer = try await transfer(request, id, isUpload: false)
    guard let path = await files.file(of: transfer.attachment) else {
      throw Refusal(404, "noSuchFile", "The attachment was removed.")
    }
    return HTTPResponse(
      headers: [
        "Content-Type": "application/octet-stream", "Content-Disposition": "attachment",
        "Cache-Control": "private, no-store",
      ], file: path
    ).withCrossOriginAccess()
  }

  /// `GET /messaging/v1/keys/<domain>`.
  func keys(_ domain: String) async throws(Refusal) -> HTTPResponse {
    let missing = Refusal(404, "noSuchDomain", "There is no such domain.")
    guard DomainID.accepts(domain) else { throw missing }
    do {
      guard let found = try await store.mailboxes({ try $0.domain(DomainID(domain)) }), !found.isBeingRemoved,
        let tenant = try await store.tenant(id: found.tenant)
      else { throw missing }
      return HTTPResponse(
        headers: ["Content-Type": "application/jwk-set+json", "Cache-Control": "public, max-age=300"],
        body: try RegistrationToken.keySet(of: tenant)
      ).withCrossOriginAccess()
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      log.error("messaging.keys", ["reason": "\(error)"])
      throw Refusal(503, "dataFailed", "The server cannot read its data just now.")
    }
  }

  /// The transfer of a request's ticket.
  fileprivate func transfer(
    _ request: HTTPRequest, _ id: String, isUpload: Bool
  ) async throws(Refusal) -> MailboxOutcome.Transfer {
    guard let token = request.bearerToken,
      let transfer = await hub.takeTransfer(token, now: MonotonicClock.now), transfer.isUpload == isUpload,
      transfer.attachment.text == id
    else {
      throw Refusal(401, "badCredential", "Send a ticket of this attachment as Authorization: Bearer. It holds once.")
    }
    return transfer
  }
}

/// One attachment on its way in.
private actor AttachmentUpload: HTTPBodySink {
  nonisolated let limit = MessagingLimits.attachmentBytes
  private let request: HTTPRequest
  private let endpoints: MessagingEndpoints
  private let addressLimits: AddressLimits
  private var transfer: MailboxOutcome.Transfer?

  init(_ request: HTTPRequest, endpoints: MessagingEndpoints, addressLimits: AddressLimits) {
    self.request = request
    self.endpoints = endpoints
    self.addressLimits = addressLimits
  }

  func begin(length: Int) async -> HTTPResponse? {
    do throws(Refusal) {
      try addressLimits.take(request.remote.ip, now: MonotonicClock.now)
      let id = String(request.path.dropFirst(MessagingEndpoints.prefix.count))
      let transfer = try await endpoints.transfer(request, id, isUpload: true)
      do throws(Refusal) {
        guard length == transfer.bytes else {
          throw Refusal(400, "wrongLength", "The ticket is for \(transfer.bytes) bytes.")
        }
        try await file { files throws(AttachmentFiles.Refusal) in
          try await files.start(transfer.attachment, bytes: length)
        }
      } catch {
        await endpoints.hub.abandon(transfer)
        throw error
      }
      self.transfer = transfer
      return nil
    } catch {
      return answer(.refusal(error))
    }
  }

  func take(_ piece: [UInt8]) async -> HTTPResponse? {
    guard let transfer else { return answer(.refusal(Refusal(400, "incomplete", "The upload was not begun."))) }
    do throws(Refusal) {
      try await file { files throws(AttachmentFiles.Refusal) in try await files.append(piece, to: transfer.attachment) }
      return nil
    } catch {
      self.transfer = nil
      await endpoints.hub.abandon(transfer)
      return answer(.refusal(error))
    }
  }

  func finish() async -> HTTPResponse {
    guard let transfer else { return answer(.refusal(Refusal(400, "incomplete", "The upload was not begun."))) }
    self.transfer = nil
    do throws(Refusal) {
      try await file { files throws(AttachmentFiles.Refusal) in try await files.finish(transfer.attachment) }
      do throws(MessagingFailure) {
        try await endpoints.hub.complete(transfer)
      } catch {
        await endpoints.files.remove(transfer.attachment)
        throw Refusal(409, "notKept", error.message)
      }
      return answer(HTTPResponse(status: 204))
    } catch {
      await endpoints.hub.abandon(transfer)
      return answer(.refusal(error))
    }
  }

  func cancel() async {
    guard let transfer else { return }
    self.transfer = nil
    await endpoints.files.cancel(transfer.attachment)
    await endpoints.hub.abandon(transfer)
  }

  private func file(
    _ body: (AttachmentFiles) async throws(AttachmentFiles.Refusal) -> Void
  ) async throws(Refusal) {
    do throws(AttachmentFiles.Refusal) {
      try await body(endpoints.files)
    } catch {
      switch error {
      case .tooManyBytes, .incomplete: throw Refusal(400, "wrongLength", "The body has another length than the ticket.")
      case .diskFull: throw Refusal(507, "diskFull", "The server has no space left for attachments.")
      case .failed(let reason):
        endpoints.log.error("messaging.attachment", ["reason": reason])
        throw Refusal(500, "internal", "The attachment could not be written. The server's log says why.")
      }
    }
  }

  /// Adds the headers that every answer of the public port has.
  private nonisolated func answer(_ response: HTTPResponse) -> HTTPResponse {
    var response = response.withCrossOriginAccess()
    for (name, value) in SecurityHeaders.all { response.headers[name] = value }
    return response
  }
}

extension MailboxHub {
  /// The file of an attachment is whole: messages can have it.
  func complete(_ transfer: MailboxOutcome.Transfer) async throws(MessagingFailure) {
    try await perform { transaction, _ in
      guard var record = try transaction.attachment(transfer.attachment) else {
        throw MessagingFailure(.notFound, "The chat of the attachment is gone.")
      }
      record.isComplete = true
      try transaction.put(record)
    }
  }
}
