import Basics
import Messaging
import Transport

/// The service over the network: a WebSocket, and HTTP for attachments.
struct ServiceNetwork: MessagingNetwork {
  /// `http://host[:port]` or `https://…`, without a slash at the end.
  let server: String
  let trustsAny: Bool

  init(server: String, trustsAny: Bool) {
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.trustsAny = trustsAny
  }

  func connect() async throws -> any MessagingConnection {
    var limits = WebSocketLimits()
    limits.maxMessageSize = MessagingLimits.maximumServiceBytes
    limits.inboundQueue = 2 * limits.maxMessageSize
    limits.outboundQueue = 4 << 20
    // http becomes ws, and https wss.
    let url = "ws" + server.dropFirst("http".count) + MessagingLimits.path
    return SocketConnection(
      socket: try await WebSocketClient.connect(
        url, limits: limits, allowsSelfSigned: trustsAny))
  }

  func upload(_ file: SealedFileReader, _ ticket: AttachmentTicket) async throws {
    let body = HTTPUpload(count: file.sealedSize) { file.bytes(at: $0, count: $1) }
    let response = try await HTTPClient.request(
      "PUT", server + ticket.path, headers: Self.headers(ticket), upload: body, timeout: Self.timeout(body.count),
      allowsSelfSigned: trustsAny)
    guard (200..<300).contains(response.status) else { throw MessengerError.fileFailed }
  }

  func download(_ ticket: AttachmentTicket, receive: @escaping @Sendable ([UInt8]) -> Bool) async throws {
    let response = try await HTTPClient.request(
      "GET", server + ticket.path, headers: Self.headers(ticket), limit: MessagingLimits.attachmentBytes,
      timeout: Self.timeout(MessagingLimits.attachmentBytes), allowsSelfSigned: trustsAny,
      receive: receive)
    guard response.status == 200 else { throw MessengerError.fileFailed }
  }

  private static func headers(_ ticket: AttachmentTicket) -> HTTPHeaders {
    ["Authorization": "Bearer \(ticket.token)", "Content-Type": "application/octet-stream"]
  }

  /// Half a minute, and the time at 128 kB a second.
  private static func timeout(_ bytes: Int) -> TimeSpan { .seconds(30 + Int64(bytes >> 17)) }
}

/// A WebSocket of `Transport`.
private struct SocketConnection: MessagingConnection {
  let socket: WebSocketConnection

  func send(_ text: String) -> Bool { socket.send(text: text) }

  func receive() async -> [UInt8]? {
    while let message = await socket.receive() {
      if case .text(let text) = message { return Array(text.utf8) }
    }
    return nil
  }

  func close() { socket.close() }
}
