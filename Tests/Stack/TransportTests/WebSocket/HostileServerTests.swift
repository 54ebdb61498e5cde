import Basics
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing
import Transport

/// A server's attacks on a client.
@Suite(.timeLimit(.minutes(20)), .serialized) struct HostileServerTests {
  @Test(
    "a message over the limit ends a client's connection with 1009 and harms nothing",
    arguments: [5 << 20, 30 << 20])
  func oversize(_ size: Int) async throws {
    var limits = WebSocketLimits()
    limits.maxMessageSize = 4 << 20
    limits.inboundQueue = 8 << 20
    for _ in 0..<20 {
      let server = try FrameServer(payload: size)
      let client = try await WebSocketClient.connect("ws://127.0.0.1:\(server.port)/", limits: limits)
      #expect(await client.receive() == nil)
      let closing = await client.closed()
      #expect(closing.code == 1_009 && !closing.byPeer)
    }
    // Bytes read past the limit must not lie over anything else: a good connection still works.
    let server = try FrameServer(payload: 3 << 20)
    let client = try await WebSocketClient.connect("ws://127.0.0.1:\(server.port)/", limits: limits)
    #expect(await client.receive() == .binary([UInt8](repeating: 0x5A, count: 3 << 20)))
    client.close()
  }

  @Test("a server that is not there is told in the same words for requests and sockets")
  func nobodyThere() async {
    // Nothing listens on port 1.
    await #expect(throws: TransportError.connectionFailed("nothing answers there")) {
      try await HTTPClient.request("GET", "http://127.0.0.1:1/")
    }
    await #expect(throws: TransportError.connectionFailed("nothing answers there")) {
      _ = try await WebSocketClient.connect("ws://127.0.0.1:1/")
    }
  }

  @Test("a server silent at one of its addresses isn't taken for an absent one")
  func silentAtOneAddress() async throws {
    let server = try FrameServer(payload: nil)
    // Nothing listens at the other address of this name.
    await #expect {
      _ = try await WebSocketClient.connect("ws://localhost:\(server.port)/", timeout: .milliseconds(200))
    } throws: { error in
      if case .timedOut = error as? TransportError { true } else { false }
    }
  }

  @Test("a client's connecting and a request end as soon as their task is cancelled")
  func cancelling() async throws {
    for kind in ["http", "ws"] {
      let server = try FrameServer(payload: nil)
      let task = Task { () -> TransportError? in
        do throws(TransportError) {
          if kind == "ws" {
            _ = try await WebSocketClient.connect("ws://127.0.0.1:\(server.port)/")
          } else {
            _ = try await HTTPClient.request("GET", "http://127.0.0.1:\(server.port)/")
          }
          return nil
        } catch { return error }
      }
      await wait("the client's request") { server.hasRequest }
      // The server never answers: without the cancellation the client would end with a timeout.
      task.cancel()
      #expect(await task.value == .cancelled)
    }
  }
}

/// A TCP server that opens one WebSocket and sends one binary frame; without a payload it accepts and says nothing.
private final class FrameServer: Sendable {
  let port: UInt16
  private let listener: Int32
  /// The connection whose request waits for ever; -1 before it came.
  private let waiting = Mutex<Int32>(-1)

  init(payload: Int?) throws {
    // Looked at from a test, which must not wait in it.
    let kind = Int32(SOCK_STREAM.rawValue) | (payload == nil ? Int32(SOCK_NONBLOCK.rawValue) : 0)
    let listener = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(listener, raw, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, raw, &length) == 0
      }
    }
    guard bound else { throw RawClient.Failed(code: errno) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    guard let payload else { return }
    Thread.detachNewThread { Self.serve(listener, payload) }
  }

  deinit {
    close(listener)
    waiting.withLock { if $0 >= 0 { close($0) } }
  }

  /// Whether a client's request has arrived; only without a payload. It is not answered.
  var hasRequest: Bool {
    waiting.withLock { connection in
      if connection < 0 { connection = accept(listener, nil, nil) }
      var byte: UInt8 = 0
      return recv(connection, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
  }

  private static func serve(_ listener: Int32, _ payload: Int) {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var request = ""
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !request.contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    let field = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key:") }
    let key = field.map { $0.dropFirst(18).trimmingCharacters(in: .whitespaces) } ?? ""
    let digest = sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    let answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(Data(digest).base64EncodedString())\r\n\r\n"
    guard write(connection, Array(answer.utf8)) else { return }
    guard write(connection, [0x82, 127] + (0..<8).map { UInt8(payload >> (56 - 8 * $0) & 255) }) else { return }
    let piece = [UInt8](repeating: 0x5A, count: 65_536)
    for _ in 0..<(payload / piece.count) where !write(connection, piece) { return }
    // Until the client has gone.
    while recv(connection, &buffer, buffer.count, 0) > 0 {}
  }

  private static func write(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(connection, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// FIPS 180-4 section 6.1, for the few bytes of an upgrade.
  private static func sha1(_ message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    let bits = UInt64(message.count) * 8
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    func turn(_ value: UInt32, _ count: UInt32) -> UInt32 { value << count | value >> (32 - count) }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      var words: [UInt32] = (0..<16).map { index in
        bytes[(start + 4 * index)..<(start + 4 * index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      for index in 16..<80 {
        words.append(turn(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
      }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for index in 0..<80 {
        let (f, k): (UInt32, UInt32) =
          switch index {
          case 0..<20: ((b & c) | (~b & d), 0x5A82_7999)
          case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
          case 40..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        (e, d, c, b, a) = (d, c, turn(b, 30), a, turn(a, 5) &+ f &+ e &+ k &+ words[index])
      }
      for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }
}
