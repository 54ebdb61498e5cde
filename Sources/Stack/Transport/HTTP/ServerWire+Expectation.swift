import CWebSockets

/// Clients that ask whether their body is wanted before they send it: `Expect: 100-continue` (RFC 9110 section 10.1.1).
/// Some wait a second for the answer, others for ever. Other expectations are ignored, as that section allows.
extension ServerWire {
  /// Whether the client of a request waits for an answer before it sends the body. One of HTTP/1.0 knows no interim
  /// answers.
  static func awaitsContinue(_ headers: HTTPHeaders, isOld: Bool) -> Bool {
    let expectations = (headers["expect"] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
    return !isOld && expectations.contains("100-continue")
  }

  /// Lets a client that waits for it send its body; false when the connection is dead.
  func sayContinue() -> Bool {
    guard awaitsContinue, let wsi = unsafe wsi else { return true }
    awaitsContinue = false
    let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    return unsafe service.write(wsi, kind: PARLEY_WS_HTTP_HEADERS, whole: interim)
  }

  /// The sink takes the body.
  func acceptUpload(_ serial: UInt64) {
    guard !isGone, phase == .body, serial == self.serial, let wsi = unsafe wsi else { return }
    if !sayContinue() { unsafe parley_ws_kill(wsi) }
  }
}
