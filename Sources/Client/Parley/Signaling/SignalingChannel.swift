import Basics
import Signaling
import Transport

/// The WebSocket of one place in a meeting: messages in order, both ways.
final class SignalingChannel: Sendable {
  private let socket: WebSocketConnection

  private init(_ socket: WebSocketConnection) { self.socket = socket }

  /// Connects to a server's signalling address.
  static func open(_ url: String, timeout: TimeSpan, trustsAny: Bool) async throws(JoinError) -> SignalingChannel {
    var limits = WebSocketLimits()
    // A welcome with many participants and a long chat is larger than what a server takes.
    limits.maxMessageSize = SignalingLimits.maximumServerBytes
    limits.inboundQueue = 2 * limits.maxMessageSize
    do throws(TransportError) {
      return SignalingChannel(
        try await WebSocketClient.connect(url, limits: limits, timeout: timeout, allowsSelfSigned: trustsAny))
    } catch { throw JoinError(error, reaching: url) }
  }

  /// Queues a message; false when the socket is gone.
  @discardableResult func send(_ message: ClientMessage) -> Bool {
    guard let text = try? SignalingEncoder().encode(message) else { return false }
    return socket.send(text: text)
  }

  /// The next message; nil when the socket is closed. Messages that this version doesn't know are skipped.
  func receive() async -> ServerMessage? {
    while let message = await socket.receive() {
      guard case .text(let text) = message else { continue }
      if let message = try? SignalingDecoder().serverMessage(from: Array(text.utf8)) { return message }
    }
    return nil
  }

  /// The server's act that ended the connection, when it was more than going away.
  var failure: JoinError? {
    guard let closing = socket.closing, !closing.byPeer, closing.code == 1_009 || closing.code == 1_007 else {
      return nil
    }
    return .notParley("The server sent what a Parley server does not send: \(closing.reason).")
  }

  /// Closes after what is queued has been sent.
  func close() { socket.close() }

  /// Waits until the socket is closed, and returns whether the server has closed it.
  @discardableResult func closed() async -> Bool {
    let closing = await socket.closed()
    // The other side of one that is lost did nothing.
    return closing.byPeer && closing.code != 1_006
  }
}

extension JoinError {
  /// The error of a joining client for a failure of the transport.
  init(_ error: TransportError, reaching url: String) {
    // People know the server, not the paths below it; and the query may hold a token.
    let place = url.split(separator: "/", maxSplits: 2).prefix(2).joined(separator: "//")
    self =
      switch error {
      case .badURL: .badAddress("\(place) is not an address that can be opened.")
      case .unknownHost(let host, _): .unreachable("There is no server named \(host). Check the address.")
      case .badCertificate(let reason), .untrustedCertificate(let reason):
        .untrustedCertificate("The certificate of \(place) is not trusted: \(reason).")
      case .cancelled: .cancelled
      case .timedOut: .timedOut("\(place) did not answer in time.")
      case .connectionFailed(let reason) where reason.contains("certificate"):
        .untrustedCertificate("The certificate of \(place) is not trusted: \(reason).")
      case .connectionFailed(let reason):
        .unreachable("\(place) cannot be reached: \(reason). Check the address, and whether the server runs.")
      case .tooLarge: .notParley("\(place) answered with more than a Parley server does.")
      default: .unreachable("\(place) cannot be reached: \(error)")
      }
  }
}
