import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Transport

/// A value that tests change from several threads.
final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
  func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// Waits until `condition` holds, or records `missing` as what was still missing.
func wait(
  _ missing: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async -> Bool
) async {
  do {
    try await wait(for: missing(), until: condition)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}

let loopbackV4 = IPAddress(v4: 0x7F00_0001)
let loopbackV6 = IPAddress(high: 0, low: 1)
let anyV4 = IPAddress(v4: 0)
let anyV6 = IPAddress(high: 0, low: 0)

/// The descriptors of this process.
func openDescriptors() -> [Int32] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  // One of them was the folder's own, and is closed.
  return names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) >= 0 }
}

/// How many sockets of this process are connected to an IPv4 address.
func openSockets(connectedTo address: TransportAddress) -> Int {
  openDescriptors().count { descriptor in
    var peer = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutableBytes(of: &peer) {
      getpeername(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    return code == 0 && peer.sin_family == sa_family_t(AF_INET) && peer.sin_port.bigEndian == address.port
  }
}

/// A TCP client that says exactly what a test wants, right or wrong. It never blocks a task's thread: the servers'
/// handlers need them.
final class RawClient: @unchecked Sendable {
  // Unchecked because: each test uses it from one task at a time.
  private var descriptor: Int32
  private var pending: [UInt8] = []

  struct Failed: Error { var code: Int32 }

  init(_ address: TransportAddress, receiveBuffer: Int32? = nil, from source: IPAddress? = nil) throws {
    let family = address.ip.isIPv4 ? AF_INET : AF_INET6
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var time = timeval(tv_sec: Int(waitingLimit.components.seconds), tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var code: Int32
    if let source {
      var own = sockaddr_in()
      own.sin_family = sa_family_t(AF_INET)
      own.sin_addr.s_addr = source.v4Bits.bigEndian
      let bound = withUnsafeBytes(of: &own) {
        bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
      if bound != 0 { throw Failed(code: errno) }
    }
    if family == AF_INET {
      var a = sockaddr_in()
      a.sin_family = sa_family_t(AF_INET)
      a.sin_port = address.port.bigEndian
      a.sin_addr.s_addr = address.ip.v4Bits.bigEndian
      code = withUnsafePointer(to: &a) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    } else {
      var a = sockaddr_in6()
      a.sin6_family = sa_family_t(AF_INET6)
      a.sin6_port = address.port.bigEndian
      withUnsafeMutableBytes(of: &a.sin6_addr) { bytes in
        for i in 0..<8 {
          bytes[i] = UInt8(truncatingIfNeeded: address.ip.high >> UInt64(56 - 8 * i))
          bytes[i + 8] = UInt8(truncatingIfNeeded: address.ip.low >> UInt64(56 - 8 * i))
        }
      }
      code = withUnsafePointer(to: &a) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
    if code != 0 { throw Failed(code: errno) }
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Ends the connection with a reset, and returns when the other end, of this machine, has heard of it.
  func reset() {
    var local = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutableBytes(of: &local) {
      getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close()
    // The port stands at the same place in addresses of both families. A busy kernel delivers the reset later.
    let end = ContinuousClock.now + waitingLimit
    while code == 0, Self.isConnected(toPort: local.sin6_port.bigEndian), ContinuousClock.now < end { usleep(1_000) }
  }

  /// Whether a socket of this machine has an established connection to a port.
  private static func isConnected(toPort port: UInt16) -> Bool {
    let hex = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - hex.count) + hex
    return ["/proc/self/net/tcp", "/proc/self/net/tcp6"].contains { path in
      ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count > 3 && fields[2].hasSuffix(suffix) && fields[3] == "01"
      }
    }
  }

  @discardableResult func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let n = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(0x4000))
      }
      if n <= 0 { return false }
      sent += n
    }
    return true
  }

  @discardableResult func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Some bytes; empty at the end of the stream, after an error, or when nothing came within ``waitingLimit``.
  private func some() async -> [UInt8] {
    let end = ContinuousClock.now + waitingLimit
    while ContinuousClock.now < end {
      if let bytes = available() { return bytes }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return []
  }

  /// The bytes that are there now; nil without any.
  private func available() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let n = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if n < 0 && errno == EAGAIN { return nil }
    return n > 0 ? Array(buffer.prefix(n)) : []
  }

  /// The next bytes, at least one; empty as in ``readToEnd()``'s end.
  func next() async -> [UInt8] {
    if pending.isEmpty { return await some() }
    defer { pending = [] }
    return pending
  }

  func read(_ count: Int) async -> [UInt8] {
    while pending.count < count {
      let more = await some()
      if more.isEmpty { break }
      pending += more
    }
    defer { pending.removeFirst(min(count, pending.count)) }
    return Array(pending.prefix(count))
  }

  func readToEnd() async -> [UInt8] {
    while true {
      let more = await some()
      if more.isEmpty { break }
      pending += more
    }
    defer { pending = [] }
    return pending
  }

  func textToEnd() async -> String { String(decoding: await readToEnd(), as: UTF8.self) }

  /// One HTTP response with its body.
  func response() async -> (status: Int, headers: [String: String], body: [UInt8])? {
    while true {
      if let end = headEnd() {
        let lines = String(decoding: pending.prefix(end), as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ").dropFirst().first ?? "")
        else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
        }
        pending.removeFirst(end + 4)
        return (status, headers, await read(Int(headers["content-length"] ?? "0") ?? 0))
      }
      let more = await some()
      if more.isEmpty { return nil }
      pending += more
    }
  }

  /// The body of the next response, waiting on this thread; nil when the connection ends before it is whole.
  func blockingBody() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let end = headEnd() {
        let head = String(decoding: pending.prefix(end), as: UTF8.self).lowercased()
        let length = head.split(separator: "content-length: ").dropFirst().first?.prefix { $0.isNumber }
        if let length = length.flatMap({ Int($0) }), pending.count >= end + 4 + length {
          defer { pending.removeFirst(end + 4 + length) }
          return Array(pending[(end + 4)..<(end + 4 + length)])
        }
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      pending += buffer.prefix(count)
    }
  }

  /// One response's head, for answers without a body.
  func head() async -> String? {
    while true {
      if let end = headEnd() {
        defer { pending.removeFirst(end + 4) }
        return String(decoding: pending.prefix(end), as: UTF8.self)
      }
      let more = await some()
      if more.isEmpty { return nil }
      pending += more
    }
  }

  private func headEnd() -> Int? {
    guard pending.count >= 4 else { return nil }
    for i in 0...(pending.count - 4)
    where pending[i] == 13 && pending[i + 1] == 10 && pending[i + 2] == 13 && pending[i + 3] == 10 { return i }
    return nil
  }

  /// Sends a WebSocket frame as a client does, masked.
  func frame(_ opcode: UInt8, _ payload: [UInt8], final: Bool = true, announced: Int? = nil) {
    var out: [UInt8] = [(final ? 0x80 : 0) | opcode]
    let length = announced ?? payload.count
    if length < 126 {
      out.append(0x80 | UInt8(length))
    } else if length < 65_536 {
      out += [0x80 | 126, UInt8(length >> 8), UInt8(length & 255)]
    } else {
      out.append(0x80 | 127)
      for i in 0..<8 { out.append(UInt8(truncatingIfNeeded: length >> (56 - 8 * i))) }
    }
    let mask: [UInt8] = [1, 2, 3, 4]
    out += mask
    out += payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
    write(out)
  }

  /// Opens a WebSocket by hand; the status of the answer.
  func upgrade(_ path: String, origin: String? = nil) async -> Int? {
    write(
      "GET \(path) HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + (origin.map { "Origin: \($0)\r\n" } ?? "")
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    return await response()?.status
  }
}

/// Requests on one connection, each sent as soon as the answer before it is there, by a thread that waits for nothing
/// else.
final class BlockingExchanges: Sendable {
  struct Outcome: Sendable, Equatable {
    /// How many requests got the answer that was expected.
    var answered = 0
    /// How many connections that took.
    var connections = 0
  }

  private let address: TransportAddress

  init(_ address: TransportAddress) { self.address = address }

  /// Sends `count` requests. `exchange` makes the one of a number, and the body of the answer to it.
  func run(_ count: Int, _ exchange: @escaping @Sendable (Int) -> (request: [UInt8], answer: [UInt8])) async -> Outcome
  {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var outcome = Outcome()
        var client: RawClient?
        for number in 0..<count {
          if client == nil {
            client = try? RawClient(self.address)
            outcome.connections += 1
          }
          let (request, answer) = exchange(number)
          guard let connected = client, connected.write(request), let body = connected.blockingBody() else {
            client = nil
            continue
          }
          if body == answer { outcome.answered += 1 }
        }
        continuation.resume(returning: outcome)
      }
    }
  }
}

/// A directory for a test run's files.
final class TemporaryDirectory: Sendable {
  static let shared = TemporaryDirectory()
  let path: String

  init() {
    var template = Array("/tmp/transport-tests-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  /// A new directory below it.
  func directory() -> String {
    var template = Array("\(path)/d-XXXXXX".utf8CString)
    return mkdtemp(&template).map { String(cString: $0) } ?? path
  }

  /// A new file with these bytes.
  func file(_ bytes: [UInt8]) throws -> String {
    let name = directory() + "/file"
    guard let out = fopen(name, "w") else { throw RawClient.Failed(code: errno) }
    fwrite(bytes, 1, bytes.count, out)
    fclose(out)
    return name
  }
}

/// A small file's text.
func readText(_ path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 65_536)
  let count = fread(&buffer, 1, buffer.count, file)
  return String(decoding: buffer.prefix(count), as: UTF8.self)
}

/// A TLS client that says exactly what a test wants, in records of its choice.
final class SecureRawClient {
  private let raw: RawClient
  private let session: TLSClientSession
  private var plain: [UInt8] = []

  /// Connects, and returns after the handshake.
  init(_ address: TransportAddress, trusting certificate: String) async throws {
    raw = try RawClient(address)
    session = try TLSClientSession(TLSClientContext(trust: .file(certificate)), host: "127.0.0.1")
    let nothing: [UInt8] = []
    session.receive(nothing.span) { _ in true }
    flush()
    while session.state == .handshaking, await receive() {}
    guard session.state == .open else { throw RawClient.Failed(code: 0) }
  }

  /// Sends `text` in records of `piece` bytes.
  func write(_ text: String, piece: Int = .max) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let bytes = Array(rest.prefix(piece))
      _ = session.write(bytes.span)
      flush()
      rest = rest.dropFirst(piece)
    }
  }

  /// The received text, once it ends in `end`; nil when the connection is over before.
  func answer(endingIn end: String) async -> String? {
    while !plain.suffix(end.utf8.count).elementsEqual(end.utf8) {
      guard await receive() else { return nil }
    }
    defer { plain = [] }
    return String(decoding: plain, as: UTF8.self)
  }

  private func flush() { session.takeWire { raw.write($0.withUnsafeBufferPointer { Array($0) }) } }

  private func receive() async -> Bool {
    let bytes = await raw.next()
    session.receive(bytes.span) { piece in
      for index in piece.indices { self.plain.append(piece[index]) }
      return true
    }
    flush()
    return !bytes.isEmpty
  }
}
