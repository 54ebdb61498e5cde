import Basics
import Testing

@testable import MeetingServer

@Suite("Settings of parley serve")
struct ServerConfigurationTests {
  @Test("no setting at all is enough")
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
    ])
  func refused(arguments: [String], words: String) {
    #expect {
      try ServerConfiguration.parse(arguments: arguments, environment: [:])
    } throws: { "\($0)".contains(words) }
  }

  @Test("every option is in the help text, with its environment variable's name derived from it")
  func help() {
    for option in ServerOption.all {
      #expect(ServerConfiguration.help.contains("--\(option.name) "))
      #expect(option.variable.hasPrefix("PARLEY_"))
      #expect(!option.variable.contains("-"))
    }
  }
}
