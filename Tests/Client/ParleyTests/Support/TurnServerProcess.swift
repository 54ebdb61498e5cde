import Foundation
import Glibc
import TestSupport

/// A real coturn on loopback that knows one user, `ann` with the password `secret`. It is ended with this object.
final class TurnServerProcess {
  static let program: String? = ["/usr/bin/turnserver", "/usr/local/bin/turnserver"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  let port: UInt16
  private let process = Process()
  private let folder: String

  init() throws {
    guard let program = Self.program else { throw StillMissing("coturn") }
    // Below the ports that the system hands out.
    port = UInt16.random(in: 20_000...29_000)
    folder = NSTemporaryDirectory() + "parley-turn-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let lines = [
      "listening-ip=127.0.0.1", "relay-ip=127.0.0.1", "listening-port=\(port)", "min-port=\(port + 1_000)",
      "max-port=\(port + 1_200)", "realm=parley.test", "no-tls", "no-dtls", "no-cli", "allow-loopback-peers",
      "relay-threads=1", "lt-cred-mech", "user=ann:secret", "log-file=\(folder)/turn.log", "simple-log",
      "pidfile=\(folder)/turn.pid", "userdb=\(folder)/turn.db",
    ]
    try (lines.joined(separator: "\n") + "\n").write(toFile: folder + "/turn.conf", atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-c", folder + "/turn.conf"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Whether it answers, over UDP and over TCP.
  var isListening: Bool { answersBinding && acceptsConnection }

  private var acceptsConnection: Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return connects(descriptor)
  }

  /// Whether a Binding request is answered within 0.2 s (RFC 8489 section 7).
  private var answersBinding: Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    let request: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12)
    guard connects(descriptor), send(descriptor, request, request.count, 0) == request.count else { return false }
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 200) == 1 else { return false }
    var answer = [UInt8](repeating: 0, count: 256)
    return recv(descriptor, &answer, answer.count, 0) >= 20 && answer[0] == 1
  }

  private func connects(_ descriptor: Int32) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
