import Glibc
import TestSupport

/// One request as bytes, so that a test can send what no client would send, and its answer as it came.
enum RawHTTP {
  struct Answer {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: String
  }

  /// The bytes before the server closed the connection or said that all is there; nil when there were none.
  static func send(_ request: [UInt8], to port: UInt16) async throws -> Answer? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    return try await send(request, over: descriptor, to: &address)
  }

  /// A connection that says nothing, to be closed by who asks for it.
  static func connection(to port: UInt16) throws -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try connect(descriptor, to: &address)
    return descriptor
  }

  private static func connect<Address>(_ descriptor: Int32, to address: inout Address) throws {
    let connected = withUnsafeBytes(of: &address) {
      Glibc.connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard connected == 0 else { throw Unexpected(text: "no connection: \(errno)") }
  }

  /// The same over a Unix socket.
  static func send(_ request: [UInt8], toSocket path: String) async throws -> Answer? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    return try await send(request, over: descriptor, to: &address)
  }

  private static func send<Address>(
    _ request: [UInt8], over descriptor: Int32, to address: inout Address
  ) async throws -> Answer? {
    guard descriptor >= 0 else { throw Unexpected(text: "no socket: \(errno)") }
    defer { close(descriptor) }
    try connect(descriptor, to: &address)
    var sent = 0
    while sent < request.count {
      let count = request.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, request.count - sent, Int32(MSG_NOSIGNAL))
      }
      // A server that has refused the request reads no more of it.
      guard count > 0 else { break }
      sent += count
    }
    return try await receive(descriptor)
  }

  private static func receive(_ descriptor: Int32) async throws -> Answer? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let end = ContinuousClock.now + waitingLimit
    while ContinuousClock.now < end {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        bytes += buffer.prefix(count)
        if let answer = parse(bytes), answer.isWhole { return answer.answer }
      } else if count < 0 && errno == EAGAIN {
        try await Task.sleep(for: .microseconds(200))
      } else {
        return parse(bytes)?.answer
      }
    }
    throw StillMissing("neither an answer nor an end within \(waitingLimit)")
  }

  private static func parse(_ bytes: [UInt8]) -> (answer: Answer, isWhole: Bool)? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let head = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<head.lowerBound].split(separator: "\r\n")
    guard let status = lines.first.flatMap({ Int($0.split(separator: " ").dropFirst().first ?? "") }) else {
      return nil
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let pair = line.split(separator: ":", maxSplits: 1)
      if pair.count == 2 { headers[pair[0].lowercased()] = pair[1].drop { $0 == " " }.description }
    }
    let body = String(text[head.upperBound...])
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    return (Answer(status: status, headers: headers, body: body), body.utf8.count >= length)
  }
}
