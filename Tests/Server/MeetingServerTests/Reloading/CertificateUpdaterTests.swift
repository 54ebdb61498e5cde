import Basics
import Foundation
import Meetings
import Synchronization
import Testing
import Transport

@testable import MeetingServer

@Suite("The certificate of a server that runs", .timeLimit(.minutes(20)))
struct CertificateUpdaterTests {
  /// A server with TLS, its files in a folder of the test, and what keeps them.
  private struct Kept {
    let folder: String
    let http: HTTPServer
    let updater: CertificateUpdater
    let log: TestServer.LogLines

    /// Makes a pair elsewhere and returns where.
    func make(_ name: String) throws -> TLSIdentity {
      try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
      return try .selfSigned(hosts: ["localhost"], directory: folder + "/" + name)
    }

    /// Looks as often as it takes to see a change that has rested.
    func look() async {
      await updater.look()
      await updater.look()
    }

    func serves(_ identity: TLSIdentity) throws -> Bool {
      try http.certificate?.fingerprint == identity.load().fingerprint
    }

    func copy(_ from: String, inPlaceOf to: String) throws {
      let text = try String(contentsOfFile: from, encoding: .utf8)
      let file = try #require(fopen(to, "w"))
      fputs(text, file)
      fclose(file)
    }
  }

  private final class Clock: Sendable {
    let now = Mutex(Date())
  }

  private func with(
    selfSigned: Bool = false, clock: Clock = Clock(), _ body: (Kept, _ served: TLSIdentity) async throws -> Void
  ) async throws {
    let folder = NSTemporaryDirectory() + "parley-updater-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/live", withIntermediateDirectories: true)
    let identity = try TLSIdentity.selfSigned(hosts: ["localhost"], directory: folder + "/live")
    var configuration = HTTPServer.Configuration()
    configuration.tls = identity
    let http = try HTTPServer(configuration) { _ in .text("ok") }
    let lines = TestServer.LogLines()
    let updater = CertificateUpdater(
      http, identity: identity,
      mode: selfSigned ? .selfSigned : .files(certificate: identity.certificatePath, key: identity.keyPath),
      folder: folder + "/live", log: Log(level: .info) { lines.add($0) }, now: { clock.now.withLock { $0 } },
      hosts: { ["localhost"] })
    let kept = Kept(folder: folder, http: http, updater: updater, log: lines)
    do {
      try await body(kept, identity)
    } catch {
      await http.shutdown(grace: .zero)
      throw error
    }
    await http.shutdown(grace: .zero)
  }

  @Test("renewed certificate files are served, renamed, linked or written in place")
  func renewed() async throws {
    try await with { kept, served in
      let renamed = try kept.make("a")
      for (from, to) in [
        (renamed.certificatePath, served.certificatePath), (renamed.keyPath, served.keyPath),
      ] {
        try FileManager.default.copyItem(atPath: from, toPath: to + ".next")
        #expect(rename(to + ".next", to) == 0)
      }
      await kept.look()
      #expect(try kept.serves(renamed))

      let linked = try kept.make("b")
      for (from, to) in [(linked.certificatePath, served.certificatePath), (linked.keyPath, served.keyPath)] {
        #expect(symlink(from, to + ".next") == 0 && rename(to + ".next", to) == 0)
      }
      await kept.look()
      #expect(try kept.serves(linked))

      let written = try kept.make("c")
      try kept.copy(written.certificatePath, inPlaceOf: served.certificatePath)
      try kept.copy(written.keyPath, inPlaceOf: served.keyPath)
      await kept.look()
      #expect(try kept.serves(written))
      #expect(!kept.log.text.contains("tls.certificateKept"))
    }
  }

  @Test("an unusable certificate or key leaves the old pair, and is logged once")
  func broken() async throws {
    try await with { kept, served in
      let (old, other) = (kept.http.certificate?.fingerprint, try kept.make("a"))
      func keeps(_ words: String) async {
        let before = kept.log.text.count
        for _ in 0..<3 { await kept.look() }
        let said = String(kept.log.text.dropFirst(before))
        #expect(said.split(separator: "\n").count == 1 && said.contains("tls.certificateKept"), "\(said)")
        #expect(said.contains(words), "\(said)")
        #expect(kept.http.certificate?.fingerprint == old)
      }
      try kept.copy(other.certificatePath, inPlaceOf: served.certificatePath)
      await keeps("is not the key of")
      try "".write(toFile: served.keyPath, atomically: false, encoding: .utf8)
      await keeps("no PEM private key")
      #expect(unlink(served.certificatePath) == 0)
      await keeps("cannot be read")
      // Asked for, it says so again.
      let before = kept.log.text.count
      await kept.updater.reload(.files(certificate: served.certificatePath, key: served.keyPath))
      #expect(kept.log.text.dropFirst(before).contains("cannot be read"))
      try kept.copy(other.certificatePath, inPlaceOf: served.certificatePath)
      try kept.copy(other.keyPath, inPlaceOf: served.keyPath)
      await kept.look()
      #expect(try kept.serves(other))
    }
  }

  @Test("other files are served when the settings name them")
  func named() async throws {
    try await with { kept, served in
      let other = try kept.make("a")
      await kept.updater.reload(.files(certificate: other.certificatePath, key: "/nonexistent"))
      #expect(try kept.serves(served))
      await kept.updater.reload(.files(certificate: other.certificatePath, key: other.keyPath))
      #expect(try kept.serves(other))
    }
  }

  @Test("a self-made certificate is renewed in its last month, while the server runs")
  func selfMade() async throws {
    let clock = Clock()
    try await with(selfSigned: true, clock: clock) { kept, _ in
      let first = try #require(kept.http.certificate)
      let last = Date(timeIntervalSince1970: Double(first.ends - TLSIdentity.renewal - 1))
      clock.now.withLock { $0 = last }
      await kept.look()
      #expect(kept.http.certificate?.fingerprint == first.fingerprint)
      clock.now.withLock { $0 = last + 1 }
      await kept.look()
      let second = try #require(kept.http.certificate)
      #expect(second.fingerprint != first.fingerprint && second.ends > first.ends + 300 * 86_400)
    }
  }
}
