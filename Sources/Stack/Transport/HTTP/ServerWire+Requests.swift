import Basics
import CWebSockets

/// The receiving side: the head that the library has parsed, and a body that is collected for the handler.
extension ServerWire {
  /// The methods that requests may have, and where the library keeps the path of each.
  static let methods: [(String, lws_token_indexes)] = [
    ("GET", WSI_TOKEN_GET_URI), ("POST", WSI_TOKEN_POST_URI), ("HEAD", WSI_TOKEN_HEAD_URI),
    ("OPTIONS", WSI_TOKEN_OPTIONS_URI), ("PUT", WSI_TOKEN_PUT_URI), ("PATCH", WSI_TOKEN_PATCH_URI),
    ("DELETE", WSI_TOKEN_DELETE_URI),
  ]

  /// Reads the library's result; nil when the request isn't to be handled, with the answer to give instead.
  @unsafe func read(_ wsi: OpaquePointer) -> (HTTPRequest?, HTTPResponse?) {
    guard
      let (method, token) = Self.methods.first(where: {
        unsafe parley_ws_header_length(wsi, Int32($0.1.rawValue)) > 0
      })
    else { return (nil, Self.unknownMethod) }
    let headers = head.head.headers
    // The head that was let through is what counts; the library has to agree about what it acts on.
    let length = unsafe WireHeaders.value(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) ?? []
    guard method == head.head.method,
      length.filter({ $0 != 0x20 && $0 != 0x09 }) == Array((headers["content-length"] ?? "").utf8)
    else { return (nil, HTTPHeadFault.misread.response) }
    // The library splits at `&` in the path too, where it means nothing.
    let pathBytes = Array(unsafe WireHeaders.fragments(wsi, token).joined(separator: [0x26]))
    guard let path = String(validating: pathBytes, as: UTF8.self), path.hasPrefix("/"),
      path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return (nil, .refusal("The path is not valid UTF-8 text.", status: 400, code: "badRequest")) }
    let arguments = unsafe WireHeaders.fragments(wsi, WSI_TOKEN_HTTP_URI_ARGS)
    let query = arguments.isEmpty ? nil : PercentCoding.query(arguments)
    guard pathBytes.count + arguments.reduce(0, { $0 + $1.count + 1 }) <= limits.uriLimit else {
      return (
        nil, .refusal("The address is longer than \(limits.uriLimit) bytes.", status: 414, code: "addressTooLong")
      )
    }
    guard headers.fields.allSatisfy({ CombiningMarks.areBounded(in: $0.value) }) else {
      let most = CombiningMarks.longestRun
      return (
        nil, .refusal("A header has more than \(most) combining marks in a row.", status: 400, code: "badRequest")
      )
    }
    return (
      HTTPRequest(
        method: method, path: path, query: query, headers: headers, remote: remote, local: local, isTLS: isTLS), nil
    )
  }

  /// The headers are there.
  @unsafe func began(_ wsi: OpaquePointer) -> Int32 {
    serial &+= 1
    // The deadlines are kept here.
    unsafe parley_ws_clear_timeout(wsi)
    let (parsed, refusal) = unsafe read(wsi)
    let headers = head.head.headers
    let connection = headers["connection"]?.lowercased() ?? ""
    let version = unsafe WireHeaders.value(wsi, WSI_TOKEN_HTTP) ?? []
    let isOld = version == Array("HTTP/1.0".utf8)
    closeAfter = closeAfter || connection.contains("close") || (isOld && !connection.contains("keep-alive"))
    if server.state.withLock({ $0.stopping }) { closeAfter = true }
    guard var request = parsed else {
      return refuseAndClose(refusal ?? .refusal("Bad request.", status: 400, code: "badRequest"))
    }
    // libwebsockets takes an encoded line break in path or query for the end of the line, and what comes after it is
    // lost.
    guard isOld || version == Array("HTTP/1.1".utf8) else {
      return refuseAndClose(
        .refusal(
          "The request line is not one of HTTP/1.1, or its address has an encoded line break (%0A, %0D): send such text in the body.",
          status: 400, code: "badRequest"))
    }
    if headers["transfer-encoding"] != nil {
      return refuseAndClose(.refusal("Send the body with a Content-Length.", status: 411, code: "lengthRequired"))
    }
    if let crowded = admit(request, isWebSocket: false) { return refuseAndClose(crowded) }
    var length = 0
    if let text = headers["content-length"] {
      // Digits only, one number: two lengths are how requests are smuggled past a proxy.
      guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let n = Int(text)
      else { return refuseAndClose(.refusal("Content-Length is not a number.", status: 400, code: "badRequest")) }
      length = n
    }
    let sink = length > 0 ? server.sink(request) : nil
    let bodyLimit = sink?.limit ?? limits.bodyLimit
    if length > bodyLimit {
      return refuseAndClose(sink?.refusal(ofLength: length) ?? .tooLarge(most: bodyLimit))
    }
    awaitsContinue = length > 0 && Self.awaitsContinue(headers, isOld: isOld)
    if let sink {
      beginUpload(to: sink, length: length)
      return 0
    }
    request.body.reserveCapacity(length)
    self.request = request
    expected = length
    if serial > 1 { advance(.transferring) }
    if length > 0 {
      phase = .body
      deadline = MonotonicClock.now + limits.bodyTimeout
      return sayContinue() ? 0 : -1
    }
    // Without a length the library would wait for a body after POST, PUT and PATCH; there is none. With reading off
    // it waits for nothing, and the connection is closed after the answer.
    if headers["content-length"] == nil && ["POST", "PUT", "PATCH"].contains(request.method) { closeAfter = true }
    dispatch()
    return 0
  }

  func bodyPiece(_ piece: UnsafeRawBufferPointer) -> Int32 {
    if let upload, phase == .body { return unsafe uploadPiece(piece, upload) }
    guard phase == .body, let have = request?.body.count, have + piece.count <= expected else {
      return phase == .body ? -1 : 0
    }
    unsafe request?.body.append(contentsOf: piece)
    return 0
  }

  /// Gives the request to the handler, on a task of its own.
  func dispatch() {
    guard let request, let wsi = unsafe wsi else { return }
    phase = .handling
    advance(.handling)
    unsafe lws_rx_flow_control(wsi, 0)
    server.state.withLock { $0.counters.requests &+= 1 }
    let isHead = request.method == "HEAD"
    let current = serial
    let handler = server.handler
    let service = service
    self.request = nil
    task = Task { [weak self] in
      let response = await handler(request)
      service.post { [weak self] in self?.respond(response, to: current, isHead: isHead) }
    }
  }
}
