public import Basics
internal import CLinux
internal import CWebSockets
internal import Synchronization

/// A small HTTP/1.1 client: one request, one connection, a bounded answer. Redirects are not followed.
public enum HTTPClient {
  /// An answer with its whole body.
  public struct Response: Sendable {
    public var status: Int
    /// The header fields that libwebsockets knows, names in lower case.
    public var headers: HTTPHeaders
    public var body: [UInt8]
    /// The body as text, invalid bytes replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `OPTIONS` or `HEAD`.
  ///   - url: `http://…` or `https://…`.
  ///   - headers: Fields to add.
  ///   - body: Sent with `Content-Length`.
  ///   - upload: A body that is made while it is sent, in place of `body`.
  ///   - limit: The most bytes of body; more is ``TransportError/tooLarge(limit:)``.
  ///   - timeout: The limit for the whole request.
  ///   - allowsSelfSigned: Trust any certificate: for tests and trusted networks.
  ///   - accepts: Decides which of the host's addresses may be connected to, after the name was looked up.
  ///   - socket: The path of a Unix socket to connect to, whatever host the URL names; 107 bytes at most.
  ///   - receive: Takes the body of a success piece by piece, on the service thread, in place of the response; false
  ///     ends the request as if it were cancelled.
  /// - Throws: ``TransportError``; ``TransportError/cancelled`` as soon as the task is cancelled. Of several
  ///   addresses, the error is of the first that was more than unreachable.
  public static func request(
    _ method: String = "GET", _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
    upload: HTTPUpload? = nil, limit: Int = 4 << 20, timeout: TimeSpan = .seconds(15), allowsSelfSigned: Bool = false,
    accepts: @Sendable (IPAddress) -> Bool = { _ in true }, socket: String? = nil,
    receive: (@Sendable ([UInt8]) -> Bool)? = nil
  ) async throws(TransportError) -> Response {
    let parts = try URLParts(url)
    guard !parts.isWebSocket else { throw .badURL(url) }
    let (service, host) = try WireClient.service(isSecure: parts.isSecure)
    var failures = AddressFailures()
    for address in try await addresses(parts, socket, accepts) {
      let wire = HTTPClientWire(
        service: service, method: method, parts: parts, address: address, headers: headers,
        upload: upload ?? HTTPUpload(body), limit: limit, deadline: MonotonicClock.now + timeout,
        insecure: allowsSelfSigned, receive: receive)
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let posted = service.post { wire.connect(host: host, continuation) }
          if !posted { continuation.resume(returning: .failure(.stopped)) }
        }
      } onCancel: {
        service.post { wire.cancel() }
      }
      switch result {
      case .success(let response): return response
      case .failure(.connectionFailed(let reason)): failures.add(.connectionFailed(reason))
      case .failure(let error): throw error
      }
    }
    throw failures.told ?? .connectionFailed("no address of \(parts.host) answers")
  }

  /// The destination as the library takes it: addresses, or a path behind a plus sign.
  private static func addresses(
    _ parts: URLParts, _ socket: String?, _ accepts: (IPAddress) -> Bool
  ) async throws(TransportError) -> [String] {
    if let socket {
      // One that begins with @ would be no path.
      let path = socket.hasPrefix("/") ? socket : "./\(socket)"
      guard path.utf8.count <= PARLEY_SOCKET_PATH else { throw .socketPathTooLong(path) }
      return ["+\(path)"]
    }
    let all = try await NameResolver.resolve(parts.host, port: parts.port)
    let accepted = all.filter(accepts)
    if accepted.isEmpty && !all.isEmpty { throw .connectionFailed("no address of \(parts.host) may be connected to") }
    return accepted.map(\.text)
  }
}

/// The bytes that a request sends, in pieces that fit a socket's buffer.
public struct HTTPUpload: Sendable {
  /// All of its bytes.
  public let count: Int
  let bytes: @Sendable (_ offset: Int, _ count: Int) -> [UInt8]?

  /// A body that is made while it is sent. `bytes` returns exactly `count` bytes from `offset` on, on the service
  /// thread; nil ends the request as if it were cancelled. After an address that failed, it begins again at 0.
  public init(count: Int, bytes: @escaping @Sendable (_ offset: Int, _ count: Int) -> [UInt8]?) {
    self.count = count
    self.bytes = bytes
  }

  init(_ body: [UInt8]) {
    self.init(count: body.count) { Array(body[$0..<$0 + $1]) }
  }
}

/// A client's request on the service thread.
@safe final class HTTPClientWire: WireHandler, @unchecked Sendable {
  // Unchecked because: after `init` it is touched on the service thread only.

  typealias Waiting = CheckedContinuation<Result<HTTPClient.Response, TransportError>, Never>

  private let service: WireService
  private let method: String
  private let parts: URLParts
  private let address: String
  private let headers: HTTPHeaders
  private let upload: HTTPUpload
  private let limit: Int
  private let deadline: Instant
  private let insecure: Bool
  private let receive: (@Sendable ([UInt8]) -> Bool)?
  private var received = 0
  private var bodySent = 0
  private var waiting: Waiting?
  private var response: HTTPClient.Response?
  private var announced: Int?
  // The library's handle, valid until `wireClosed`.
  private var wsi: OpaquePointer?
  private var isGone = false
  private var certificateIsRefused = false
  private var isCancelled = false

  init(
    service: WireService, method: String, parts: URLParts, address: String, headers: HTTPHeaders,
    upload: HTTPUpload, limit: Int, deadline: Instant, insecure: Bool, receive: (@Sendable ([UInt8]) -> Bool)?
  ) {
    self.service = service
    self.method = method
    self.parts = parts
    self.address = address
    self.headers = headers
    self.upload = upload
    self.limit = limit
    self.deadline = deadline
    self.insecure = insecure
    self.receive = receive
    unsafe wsi = nil
  }

  /// The other end, for people.
  private var place: String {
    if address.hasPrefix("+") { return String(address.dropFirst()) }
    return address.contains(":") ? "[\(address)]:\(parts.port)" : "\(address):\(parts.port)"
  }

  /// Nobody waits for the answer any more; may come before ``connect(host:_:)``.
  func cancel() {
    isCancelled = true
    guard waiting != nil else { return }
    end(.failure(.cancelled))
    if let wsi = unsafe wsi { unsafe parley_ws_abort(wsi) }
  }

  func connect(host: UInt, _ continuation: Waiting) {
    guard !isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
    waiting = continuation
    let tag = service.add(self)
    var handle: OpaquePointer?
    // Strings live during the call, which copies them; the virtual host lives as long as the service.
    unsafe _ = parley_ws_connect(
      service.context, OpaquePointer(bitPattern: host), address, Int32(parts.port), parts.authority,
      parts.target, headers["origin"], nil, method, parts.isSecure ? 1 : 0, insecure ? 1 : 0, tag, &handle)
    if unsafe handle == nil {
      service.remove(tag)
      end(.failure(.connectionFailed("\(place) does not answer")))
      wireClosed()
    } else if !isGone {
      unsafe wsi = handle
      if let handle = unsafe handle { service.isNew(unsafe parley_ws_descriptor(handle)) }
    }
  }

  @unsafe func handle(
    _ event: WireEvent, _ wsi: OpaquePointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int32 {
    if unsafe self.wsi == nil { unsafe self.wsi = wsi }
    switch event {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
      var fields = headers
      if upload.count > 0 || ["POST", "PUT", "PATCH"].contains(method) {
        fields["content-length"] = String(upload.count)
      }
      let code = unsafe WireRequest.append(fields, to: wsi, bytes, count, except: ["origin", "host"])
      if code == 0 && upload.count > 0 {
        unsafe lws_client_http_body_pending(wsi, 1)
        unsafe lws_callback_on_writable(wsi)
      }
      return code
    case LWS_CALLBACK_CLIENT_HTTP_WRITEABLE: return unsafe writeBody(wsi)
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
      let status = unsafe Int(lws_http_client_http_response(wsi))
      let fields = unsafe WireHeaders.all(wsi)
      announced = fields["content-length"].flatMap { Int($0) }
      if let announced, announced > limit, method != "HEAD" {
        end(.failure(.tooLarge(limit: limit)))
        return -1
      }
      response = HTTPClient.Response(status: status, headers: fields, body: [])
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
      // The library needs its own room in front of what it reads into.
      let padding = parley_ws_padding()
      return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: padding + 4_096) { buffer in
        guard let base = buffer.baseAddress else { return -1 }
        return unsafe parley_ws_client_read(wsi, base + padding, 4_096) < 0 ? -1 : 0
      }
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
      guard let status = response?.status, received + count <= limit else {
        end(.failure(.tooLarge(limit: limit)))
        return -1
      }
      received += count
      let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
      guard let receive, (200...299).contains(status) else {
        unsafe response?.body.append(contentsOf: piece)
        break
      }
      guard unsafe receive(Array(piece)) else {
        end(.failure(.cancelled))
        return -1
      }
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
      finish()
      return -1
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP: finish()
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
      // The count is OpenSSL's verdict, and the library reports it nowhere else; a zero here leaves it as it is.
      if count == 0 { certificateIsRefused = true }
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      let reason = unsafe WireRequest.reason(bytes, count)
      if certificateIsRefused {
        end(
          .failure(
            .untrustedCertificate("it is made by nobody this machine trusts, is out of date, or is for another name")))
      } else {
        end(.failure(WireRequest.failure(for: reason, isSecure: parts.isSecure)))
      }
    default: break
    }
    return 0
  }

  func wireClosed() {
    if isGone { return }
    isGone = true
    unsafe wsi = nil
    finish()
  }

  func tick(now: Instant) {
    guard let wsi = unsafe wsi, waiting != nil, now >= deadline else { return }
    end(.failure(.timedOut("The answer of \(place)")))
    unsafe parley_ws_abort(wsi)
  }

  private func writeBody(_ wsi: OpaquePointer) -> Int32 {
    guard bodySent < upload.count else { return 0 }
    let count = min(service.pieceSize, upload.count - bodySent)
    guard let bytes = upload.bytes(bodySent, count), bytes.count == count else {
      end(.failure(.cancelled))
      return -1
    }
    bodySent += count
    if bodySent == upload.count { unsafe lws_client_http_body_pending(wsi, 0) }
    let written = unsafe service.write(wsi, kind: PARLEY_WS_HTTP, count: count) { span in
      var index = 0
      while index < count {
        span[index] = bytes[index]
        index += 1
      }
    }
    if bodySent < upload.count { unsafe lws_callback_on_writable(wsi) }
    return written ? 0 : -1
  }

  private func finish() {
    guard waiting != nil else { return }
    guard let response else {
      return end(.failure(.connectionFailed("closed without an answer")))
    }
    if let announced, method != "HEAD", response.status != 304, received < announced {
      return end(.failure(.connectionFailed("closed after \(received) of \(announced) bytes")))
    }
    end(.success(response))
  }

  private func end(_ result: Result<HTTPClient.Response, TransportError>) {
    let continuation = waiting
    waiting = nil
    continuation?.resume(returning: result)
  }
}
