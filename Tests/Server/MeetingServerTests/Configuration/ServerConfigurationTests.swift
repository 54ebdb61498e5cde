import Basics
import Foundation
import Options
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Settings of parley serve")
struct ServerConfigurationTests {
  @Test("a server starts without any setting")
  func defaults() throws {
    let configuration = try ServerConfiguration.parse(arguments: [], environment: [:])
    #expect(configuration == ServerConfiguration())
    #expect(configuration.port == 8080)
  }

  @Test("flags win over the environment, and the environment over the default")
  func precedence() throws {
    let environment = ["PARLEY_PORT": "9000", "PARLEY_MEDIA_PORT": "5000", "HOME": "/root"]
    let configuration = try ServerConfiguration.parse(arguments: ["--port", "9001"], environment: environment)
    #expect(configuration.port == 9001)
    #expect(configuration.mediaPort == 5000)
  }

  @Test("both spellings of a flag are understood")
  func spellings() throws {
    let a = try ServerConfiguration.parse(arguments: ["--host=127.0.0.1", "--tls=self-signed"], environment: [:])
    #expect(a.host.isLoopback)
    #expect(a.tls == .selfSigned)
  }

  @Test("the scheme of --public-url may be written in any case (RFC 3986 section 3.1)")
  func schemeInCapitals() throws {
    let configuration = try ServerConfiguration.parse(
      arguments: ["--public-url", "HTTPS://meet.example/"], environment: [:])
    #expect(configuration.publicURL == "HTTPS://meet.example")
  }

  @Test(
    "a wrong setting is refused in words that say what was expected",
    arguments: [
      (["--prot", "1"], "Did you mean '--port'"), (["--port", "99999"], "0 to 65535"), (["--port"], "needs a value"),
      (["--host", "example"], "IPv4 or IPv6"), (["serve"], "start with '--'"), (["--tls", "maybe"], "self-signed"),
      (["--tls-cert", "a.pem"], "go together"), (["--config", "/nonexistent"], "cannot be read"),
      (["--workers", "0"], "1 to 256"), (["--public-url", "ftp://x"], "http://"), (["--"], "start with '--'"),
      (["--port", ""], "whole number"), (["--public-address", "1.2.3.4,x"], "IPv4"),
      (["--public-address", "0.0.0.0"], "can reach"), (["--public-address", "192.0.2.1,::"], "can reach"),
      (["--link-devices", "yes"], "off or allow"), (["--max-part", "7"], "Did you mean '--max-participants'"),
    ])
  func refused(arguments: [String], words: String) {
    #expect {
      try ServerConfiguration.parse(arguments: arguments, environment: [:])
    } throws: { "\($0)".contains(words) }
  }

  @Test("every option is in the help text, with its derived environment variable")
  func help() {
    let help = Command("serve", "", options: ServerConfiguration.options).help("parley serve")
    for option in ServerOption.all {
      #expect(help.contains("--\(option.name) "))
      #expect(option.variable == "PARLEY_" + option.name.uppercased().replacing("-", with: "_"))
    }
  }

  @Test("every default is a valid value, and the one that holds without the option")
  func statedDefaults() throws {
    for option in ServerOption.all {
      guard let value = option.declaration.defaultValue else { continue }
      var configuration = ServerConfiguration(workers: 1)
      try option.apply(&configuration, value)
      #expect(configuration == ServerConfiguration(workers: 1), "\(option.name)")
    }
  }

  @Test("docs/operating/configuration.md has the declarations' tables, a row per option")
  func documented() throws {
    let text = try Repository.text(of: "docs/operating/configuration.md")
    let start = try #require(text.range(of: "<!-- generated: parley generate configuration -->\n")).upperBound
    let end = try #require(text.range(of: "<!-- end -->")).lowerBound
    #expect(text[start..<end] == ServerConfiguration.reference, "run Scripts/generate-docs")
    let rows = text[start..<end].split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
      $0.split(separator: "`").dropFirst().first.map(String.init)
    }
    #expect(rows.sorted() == ServerOption.all.map(\.name).sorted())
  }

  @Test("docs/operating/configuration.md lists exactly the settings that are reloaded")
  func reread() throws {
    let text = try Repository.text(of: "docs/operating/configuration.md")
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("| the file of `--config`") })
    let cell = try #require(line.split(separator: "|").first)
    let named = cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    #expect(named.dropFirst().sorted() == ServerOption.all.filter(\.isReread).map(\.name).sorted())
  }

  @Test("a configuration file says the same whichever system's line ends it has", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(end: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString).conf")
    defer { try? FileManager.default.removeItem(at: file) }
    let lines = ["# my server", "port = 9001", "", "open-rooms = no", "host = \"127.0.0.1\""]
    try Data(lines.joined(separator: end).utf8).write(to: file)
    let configuration = try ServerConfiguration.parse(arguments: ["--config", file.path], environment: [:])
    #expect(configuration.port == 9001)
    #expect(!configuration.openRooms)
    #expect(configuration.host.isLoopback)
  }

  @Test("an admin token is long enough, and is repeated in no error")
  func adminToken() throws {
    let good = try ServerConfiguration.parse(arguments: ["--admin-token", "0123456789abcdef"], environment: [:])
    #expect(good.adminToken == Secret("0123456789abcdef"))
    for token in ["short", "with a blank in it", String(repeating: "x", count: 201)] {
      do throws(ConfigurationError) {
        _ = try ServerConfiguration.parse(arguments: ["--admin-token", token], environment: [:])
        Issue.record("\(token) was taken")
      } catch {
        #expect(!error.description.contains(token) && error.description.contains("16 to 200"))
      }
    }
    let hosts = try ServerConfiguration.parse(
      arguments: ["--webhook-allow", "Hooks.lan", "--webhook-allow", "10.0.0.1"], environment: [:])
    #expect(hosts.webhooks.allowedHosts == ["hooks.lan", "10.0.0.1"])
  }
}
