import Basics
import CWebSockets

/// Connections that become WebSockets.
extension ServerWire {
  /// Someone wants to open a WebSocket: ask.
  @unsafe func confirmUpgrade(_ wsi: OpaquePointer, _ name: UnsafeMutableRawPointer?) -> Int32 {
    let (parsed, refusal) = unsafe read(wsi)
    guard let request = parsed else {
      return answerUpgrade(refusal ?? .refusal("Bad request.", status: 400, code: "badRequest"))
    }
    // Also what the library takes for a request line: an encoded line break ends it there.
    guard unsafe WireHeaders.value(wsi, WSI_TOKEN_HTTP) == Array("HTTP/1.1".utf8) else {
      return answerUpgrade(.refusal("A WebSocket is opened with HTTP/1.1.", status: 400, code: "badRequest"))
    }
    guard request.headers["upgrade"]?.lowercased() == "websocket", request.method == "GET" else {
      return answerUpgrade(.refusal("Only upgrades to a WebSocket are served here.", status: 400, code: "badRequest"))
    }
    guard unsafe WireHeaders.value(wsi, WSI_TOKEN_VERSION) == [0x31, 0x33],
      unsafe WireHeaders.value(wsi, WSI_TOKEN_KEY)?.count == 24
    else {
      var response = HTTPResponse.refusal(
        "WebSocket version 13 and a key are expected.", status: 426, code: "upgradeRequired")
      response.headers["Sec-WebSocket-Version"] = "13"
      return answerUpgrade(response)
    }
    if server.state.withLock({ $0.stopping }) {
      return answerUpgrade(.refusal("Shutting down.", status: 503, code: "shuttingDown"))
    }
    if let crowded = admit(request, isWebSocket: true) { return answerUpgrade(crowded) }
    switch server.decide(request) {
    case .accept:
      self.request = request
      return 0
    case .reject(let response):
      return answerUpgrade(response)
    }
  }

  func answerUpgrade(_ response: HTTPResponse) -> Int32 { refuseAndClose(response) }

  func opened() -> Int32 {
    guard let request, let wsi = unsafe wsi else { return -1 }
    self.request = nil
    phase = .webSocket
    advance(.opened)
    head = HTTPHeadParser(limit: 0)
    unsafe parley_ws_clear_timeout(wsi)
    // Only requests need it.
    if let companion = unsafe companion { unsafe parley_ws_abort(companion) }
    let service = service
    let connection = WebSocketConnection(
      request: request, inboundLimit: limits.webSocket.inboundQueue, outboundLimit: limits.webSocket.outboundQueue,
      isReserved: reserve != nil,
      prove: { [server, tag] in server.state.withLock { $0.connections.advance(tag, to: .proven) } }
    ) { [weak self] in
      service.post { [weak self] in
        guard let self, let wsi = unsafe self.wsi else { return }
        unsafe self.webSocket?.woken(wsi)
      }
    }
    webSocket = WebSocketWire(
      connection, limits: limits.webSocket, service: service, isClient: false,
      masks: isTLS ? nil : MaskCheck(descriptor: descriptor))
    server.state.withLock { $0.webSockets[tag] = connection }
    let serve = server.serve
    webSocketTask = Task {
      await serve(connection)
      connection.close()
    }
    return 0
  }
}
