public import Basics
internal import CWebSockets
internal import Synchronization

/// Opens WebSockets as a client (`ws`, `wss`).
public enum WebSocketClient {
  /// Connects and waits until the WebSocket is open.
  ///
  /// - Parameters:
  ///   - url: `ws://…` or `wss://…`.
  ///   - headers: Fields to add to the request, `Origin` among them.
  ///   - limits: Limits and times of the connection.
  ///   - timeout: How long opening may take.
  ///   - allowsSelfSigned: Trust any certificate: for tests and for servers reached over a trusted network.
  /// - Throws: ``TransportError/badURL(_:)``, ``TransportError/unknownHost(_:reason:)``,
  ///   ``TransportError/connectionFailed(_:)``, ``TransportError/timedOut(_:)``, ``TransportError/cancelled`` as soon
  ///   as the task is cancelled. Of several addresses, the error is of the first that was more than unreachable.
  public static func connect(
    _ url: String, headers: HTTPHeaders = HTTPHeaders(), limits: WebSocketLimits = WebSocketLimits(),
    timeout: TimeSpan = .seconds(10), allowsSelfSigned: Bool = false
  ) async throws(TransportError) -> WebSocketConnection {
    let parts = try URLParts(url)
    guard parts.isWebSocket else { throw .badURL(url) }
    let (service, host) = try WireClient.service(isSecure: parts.isSecure)
    var failures = AddressFailures()
    for ip in try await NameResolver.resolve(parts.host, port: parts.port) {
      let remote = TransportAddress(ip: ip, port: UInt16(truncatingIfNeeded: parts.port))
      let wire = WebSocketClientWire(
        service: service, parts: parts, remote: remote, headers: headers, limits: limits,
        deadline: MonotonicClock.now + timeout, insecure: allowsSelfSigned)
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let posted = service.post { wire.connect(host: host, continuation) }
          if !posted { continuation.resume(returning: .failure(.stopped)) }
        }
      } onCancel: {
        service.post { wire.cancel() }
      }
      switch result {
      case .success(let connection): return connection
      case .failure(.cancelled): throw .cancelled
      case .failure(let error): failures.add(error)
      }
    }
    throw failures.told ?? WireRequest.unreachable
  }
}

/// A client's WebSocket on the service thread.
@safe final class WebSocketClientWire: WireHandler, @unchecked Sendable {
  // Unchecked because: after `init` it is touched on the service thread only.

  typealias Opening = CheckedContinuation<Result<WebSocketConnection, TransportError>, Never>

  private let service: WireService
  private let parts: URLParts
  private let remote: TransportAddress
  private let headers: HTTPHeaders
  private let limits: WebSocketLimits
  private let deadline: Instant
  private let insecure: Bool
  private var opening: Opening?
  private var webSocket: WebSocketWire?
  // The library's handle, valid until `wireClosed`.
  private var wsi: OpaquePointer?
  private var isGone = false
  private var isCancelled = false

  init(
    service: WireService, parts: URLParts, remote: TransportAddress, headers: HTTPHeaders, limits: WebSocketLimits,
    deadline: Instant, insecure: Bool
  ) {
    self.service = service
    self.parts = parts
    self.remote = remote
    self.headers = headers
    self.limits = limits
    self.deadline = deadline
    self.insecure = insecure
    unsafe wsi = nil
  }

  /// Nobody waits for it any more; may come before ``connect(host:_:)``. One that is open stays open.
  func cancel() {
    isCancelled = true
    guard opening != nil else { return }
    fail(.cancelled)
    if let wsi = unsafe wsi { unsafe parley_ws_abort(wsi) }
  }

  func connect(host: UInt, _ continuation: Opening) {
    guard !isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
    opening = continuation
    let tag = service.add(self)
    var handle: OpaquePointer?
    // Strings live during the call, which copies them; the virtual host lives as long as the service.
    unsafe _ = parley_ws_connect(
      service.context, OpaquePointer(bitPattern: host), remote.ip.text, Int32(parts.port), parts.authority,
      parts.target, headers["origin"], nil, nil, parts.isSecure ? 1 : 0, insecure ? 1 : 0, tag, &handle)
    if unsafe handle == nil {
      service.remove(tag)
      fail(.connectionFailed("\(remote.text) does not answer"))
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
      return unsafe WireRequest.append(headers, to: wsi, bytes, count, except: ["origin", "host"])
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      opened()
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      fail(WireRequest.failure(for: unsafe WireRequest.reason(bytes, count), isSecure: parts.isSecure))
    case LWS_CALLBACK_CLIENT_RECEIVE:
      return unsafe webSocket?.received(wsi, UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
        ?? -1
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG: webSocket?.pong()
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      unsafe webSocket?.peerCloses(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    case LWS_CALLBACK_CLIENT_WRITEABLE: return unsafe webSocket?.writable(wsi) ?? 0
    default: break
    }
    return 0
  }

  func wireClosed() {
    if isGone { return }
    isGone = true
    unsafe wsi = nil
    fail(.connectionFailed("closed before the WebSocket was open"))
    webSocket?.closed()
  }

  func tick(now: Instant) {
    guard let wsi = unsafe wsi else { return }
    if let webSocket {
      unsafe webSocket.tick(wsi, now: now)
    } else if now >= deadline {
      fail(.timedOut("Opening the WebSocket to \(remote.text)"))
      unsafe parley_ws_abort(wsi)
    }
  }

  private func opened() {
    guard let opening else { return }
    self.opening = nil
    let service = service
    let request = HTTPRequest(
      method: "GET", path: parts.target, headers: headers, remote: remote, local: .unspecified, isTLS: parts.isSecure)
    let connection = WebSocketConnection(
      request: request, inboundLimit: limits.inboundQueue, outboundLimit: limits.outboundQueue
    ) { [weak self] in
      service.post { [weak self] in
        guard let self, let wsi = unsafe self.wsi else { return }
        unsafe self.webSocket?.woken(wsi)
      }
    }
    webSocket = WebSocketWire(connection, limits: limits, service: service, isClient: true)
    opening.resume(returning: .success(connection))
  }

  private func fail(_ error: TransportError) {
    let waiting = opening
    opening = nil
    waiting?.resume(returning: .failure(error))
  }
}

/// Why none of a host's addresses could be connected to.
struct AddressFailures {
  /// The first that was more than unreachable, else the first; nil before one was added. A name often has an address of
  /// a family in which nothing listens.
  private(set) var told: TransportError?

  mutating func add(_ failure: TransportError) {
    if told == nil || told == WireRequest.unreachable { told = failure }
  }
}

/// The part that client requests share.
enum WireRequest {
  /// The failure at an address where nothing listens: it says less than the failure at any other address.
  static let unreachable = TransportError.connectionFailed("nothing answers there")

  /// Adds fields to a request; the value to return from the callback.
  @unsafe static func append(
    _ headers: HTTPHeaders, to wsi: OpaquePointer, _ place: UnsafeMutableRawPointer?, _ room: Int, except: [String]
  ) -> Int32 {
    var left = room
    for (name, value) in headers.fields where !except.contains(name.lowercased()) {
      let bytes = Array(value.utf8)
      let needed = name.utf8.count + bytes.count + 4
      // `place` is the library's pointer to its buffer of `room` bytes, which it moves on itself.
      guard needed < left,
        unsafe parley_ws_append_header(wsi, place, left, name + ":", bytes, Int32(bytes.count)) == 0
      else { return -1 }
      left -= needed
    }
    return 0
  }

  /// The library's reason for a failed connection.
  @unsafe static func reason(_ bytes: UnsafeMutableRawPointer?, _ count: Int) -> String {
    guard let bytes = unsafe bytes, count > 0 else { return "refused or unreachable" }
    let text = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: min(count, 200)), as: UTF8.self)
    return text.filter { $0 != "\0" }
  }

  /// That reason for people, if it is one that they meet.
  static func failure(for reason: String, isSecure: Bool) -> TransportError {
    switch reason {
    case "Unable to connect": unreachable
    case "read failed":
      .connectionFailed(
        isSecure ? "it hung up without an answer" : "it hung up without an answer, so it may speak HTTPS only")
    case "problems parsing header": .connectionFailed("what it answers is not HTTP")
    case _ where reason.contains("SSL err"):
      .connectionFailed("no secure connection could be made, so it may not speak HTTPS")
    default: .connectionFailed(reason)
    }
  }
}
