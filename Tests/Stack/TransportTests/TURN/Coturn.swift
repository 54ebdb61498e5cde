import Basics
import Foundation
import Glibc
import Testing
import Transport

/// A real coturn on loopback with a configuration of its own, for one test. It is ended with this object.
final class Coturn {
  struct Missing: Error {}

  let port: UInt16
  let tlsPort: UInt16
  /// The certificate it shows over TLS, which is its own authority.
  let certificate: String
  private let process = Process()
  private let folder: String

  static let program: String? = ["/usr/bin/turnserver", "/usr/local/bin/turnserver"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Starts it with user `ann`, password `secret`.
  /// - Parameter settings: Further lines of its configuration.
  init(_ settings: [String] = []) async throws {
    guard let program = Self.program else { throw Missing() }
    folder = TemporaryDirectory.shared.directory()
    let identity = try TLSIdentity.selfSigned(hosts: ["localhost", "127.0.0.1"], directory: folder)
    certificate = identity.certificatePath
    // Below the ports that the system hands out, and tried first: another program may have them.
    var base = UInt16.random(in: 20_000...30_000)
    for _ in 0..<100 where !Self.isFree(base) || !Self.isFree(base + 1) { base = UInt16.random(in: 20_000...30_000) }
    port = base
    tlsPort = base + 1
    let lines =
      [
        "listening-ip=127.0.0.1", "relay-ip=127.0.0.1", "listening-port=\(port)", "tls-listening-port=\(tlsPort)",
        "min-port=\(base + 1_000)", "max-port=\(base + 1_200)", "realm=parley.test", "no-dtls", "no-cli",
        "allow-loopback-peers", "no-tcp-relay", "relay-threads=1", "cert=\(certificate)", "pkey=\(identity.keyPath)",
        "log-file=\(folder)/turn.log", "simple-log", "pidfile=\(folder)/turn.pid", "userdb=\(folder)/turn.db",
      ] + (settings.contains("use-auth-secret") ? [] : ["lt-cred-mech", "user=ann:secret"]) + settings
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: folder + "/turn.conf", atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-c", folder + "/turn.conf"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let address = TransportAddress(ip: loopbackV4, port: tlsPort)
    await wait("coturn to listen") { (try? RawClient(address)) != nil }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Whether nobody listens on a port.
  private static func isFree(_ port: UInt16) -> Bool {
    (try? TCPListener(bind: TransportAddress(ip: loopbackV4, port: port), dualStack: false)) != nil
      && (try? UDPSocket(bind: TransportAddress(ip: loopbackV4, port: port))) != nil
  }

  /// The server's log so far, or nothing.
  var log: String { (try? String(contentsOfFile: folder + "/turn.log", encoding: .utf8)) ?? "" }
}
