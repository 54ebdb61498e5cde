import Basics
import Foundation
import Meetings
import Testing
import Transport

@testable import MeetingServer

@Suite("Settings that are read again", .timeLimit(.minutes(20)))
struct ReloadTests {
  private func settings(_ arguments: String...) throws -> ServerSettings {
    try ServerConfiguration.settings(arguments: arguments, environment: [:])
  }

  @Test("changed options are named, apart from those that need a restart")
  func changes() throws {
    let running = try settings("--port", "1", "--turn-user", "a:b", "--ice-server", "turn:x")
    let new = try settings(
      "--port", "2", "--turn-user", "a:c", "--ice-server", "turn:x", "--admin-token", "0123456789abcdef")
    let change = SettingsChange(from: running, to: new)
    #expect(change.applied == ["turn-user", "admin-token"] && change.pending == ["port"])
    let same = SettingsChange(from: running, to: running)
    #expect(same.applied.isEmpty && same.pending.isEmpty)
    #expect(!"\(new)".contains("0123456789abcdef"))
  }

  @Test("a reload doesn't change whether the port speaks TLS")
  func tls() throws {
    let (plain, secure) = (try settings(), try settings("--tls", "self-signed"))
    #expect(SettingsChange(from: plain, to: secure).pending == ["tls"])
    #expect(plain.configuration.taking(secure.configuration).tls == .off)
    let files = try settings("--tls-cert", "a", "--tls-key", "b")
    #expect(SettingsChange(from: secure, to: files).applied == ["tls", "tls-cert", "tls-key"])
    #expect(secure.configuration.taking(files.configuration).tls == .files(certificate: "a", key: "b"))
  }

  @Test("every setting that is said to be read again is taken over, and no other")
  func taken() throws {
    let values = [
      "tls": "self-signed", "tls-cert": "c", "tls-key": "k", "ice-server": "stun:x", "turn-secret": "s",
      "turn-user": "a:b", "admin-token": "0123456789abcdef", "log-level": "error", "port": "7", "max-participants": "9",
      "public-address": "192.0.2.1", "private-addresses": "no", "media-host": "192.0.2.2",
    ]
    for option in ServerOption.all {
      guard let value = values[option.name] else {
        #expect(!option.isReread, "give \(option.name) a value here")
        continue
      }
      var start = ServerConfiguration(workers: 1)
      if option.name.hasPrefix("tls") { start.tls = .files(certificate: "x", key: "y") }
      var other = start
      try option.apply(&other, value)
      #expect(other != start)
      #expect((start.taking(other) == other) == option.isReread, "\(option.name)")
    }
  }

  @Test("a reload takes over secrets, servers, level and pages; a wrong one changes none")
  func reloaded() async throws {
    let words = { (secret: String, token: String) in
      [
        "--ice-server", "turn:x", "--turn-user", "ann:\(secret)", "--admin-token", token, "--log-level", "debug",
      ]
    }
    let start = try ServerConfiguration.settings(
      arguments: words("one", "0123456789abcdef"), environment: [:])
    try await TestServer.run({ configuration in
      configuration.iceServers = start.configuration.iceServers
      configuration.adminToken = start.configuration.adminToken
    }) { server in
      func credential() async throws -> String? { try await server.discover("daily").iceServers.first?.credential }
      func admits(_ token: String) async throws -> Bool {
        let port = try #require(server.server.adminPort)
        return try await TestServer.request(
          "GET", "http://127.0.0.1:\(port)/api/v1/meetings", ["Authorization": "Bearer \(token)"]
        ).status == 200
      }
      #expect(try await credential() == "one")
      #expect(try await server.get("/sdk/parley.js").text == "sdk")
      try "newer".write(toFile: server.folder + "/web/sdk/parley.js", atomically: true, encoding: .utf8)
      let other = words("two", "fedcba9876543210")
      var running = await server.server.reload(start) { () throws(ConfigurationError) in
        try ServerConfiguration.settings(arguments: other + ["--port", "1"], environment: [:])
      }
      #expect(try await credential() == "two")
      #expect(try await server.get("/sdk/parley.js").text == "newer")
      #expect(try await [admits("fedcba9876543210"), admits("0123456789abcdef")] == [true, false])
      #expect(server.logged.text.contains("changed=turn-user,admin-token needsRestart=port"))
      running = await server.server.reload(running) { () throws(ConfigurationError) in
        try ServerConfiguration.settings(arguments: ["--prot", "1"], environment: [:])
      }
      #expect(try await credential() == "two")
      #expect(running.configuration.port == 1 && server.logged.text.contains("event=reload.refused"))
      #expect(server.logged.text.contains("Did you mean"))
      #expect(!server.logged.text.contains("fedcba9876543210"))
    }
  }
}
