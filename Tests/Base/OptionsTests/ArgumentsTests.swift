import Options
import Testing

@Suite("Arguments and configuration files")
struct ArgumentsTests {
  private static let options: [Option] = {
    var port = Option("port", .number(0...65_535), default: "8080", "a port")
    port.repetition = .replaces
    var hosts = Option("host", .text("IP"), repeats: true, "hosts")
    hosts.variable = "HOST_OF_TEST"
    var secret = Option("secret", .number(1...2), "a number that nobody may see")
    secret.isSecret = true
    let quick = Option("quick", .toggle, "yes or no")
    var all = [port, hosts, secret, quick, Option("tls", .choice(["off", "own"]), "TLS")]
    for index in all.indices { all[index].isKey = true }
    return all + [Option("config", .file, "a file"), Option("name", .either(.text("NAME"), "none"), "a name")]
  }()

  private func read(_ words: String...) throws(OptionError) -> [GivenOption] {
    try Arguments(words, options: Self.options, takesOperands: false, command: "program run").options
  }

  @Test("a later value replaces an earlier one or joins it, as the declaration says")
  func repetition() throws {
    let given = try read("--port", "1", "--host", "a", "--port=2", "--host", "b")
    let joined = Self.options.joined(given)
    #expect(joined.last { $0.name == "port" }?.value == "2")
    #expect(joined.filter { $0.name == "host" }.map(\.value) == ["a,b"])
    #expect(throws: OptionError(.givenTwice(option: "name"), command: "program run")) {
      try read("--name", "a", "--name", "b")
    }
  }

  @Test("a toggle may stand without its value")
  func toggle() throws {
    #expect(try read("--quick", "--port", "1").first?.value == "yes")
    #expect(try read("--quick", "no").first?.value == "no")
    #expect(throws: OptionError.self) { try read("--quick", "maybe") }
  }

  @Test(
    "what is wrong is named with what was expected and where help is",
    arguments: [
      (["--prot", "1"], "Did you mean '--port'? 'program run --help'"), (["--po", "1"], "'--port'"),
      (["--x"], "not known. 'program"), (["word"], "'word' was not expected"), (["--port"], "needs a value: N"),
      (["--port", "70000"], "cannot be '70000': expected a whole number from 0 to 65535"), (["--"], "start with '--'"),
      (["--tls", "maybe"], "expected off or own"), (["--config", ""], "a file"), (["--secret", "9"], "cannot be '…'"),
    ])
  func refused(words: [String], text: String) {
    #expect {
      try Arguments(words, options: Self.options, takesOperands: false, command: "program run")
    } throws: { "\($0)".contains(text) }
  }

  @Test("a configuration file has the keys that are declared for it, and no others")
  func file() throws {
    func lines(_ text: String) throws(OptionError) -> [GivenOption] {
      try ConfigurationFile.options(text, name: "a.conf", declared: Self.options)
    }
    #expect(try lines("# all\r\n port = 1\r\n\r\nhost = \"::1\"").map(\.value) == ["1", "::1"])
    #expect {
      try lines("port = 1\nprot = 2")
    } throws: { "\($0)".contains("The option prot is not known. Did you mean 'port'?") }
    #expect(throws: OptionError(.malformedLine(file: "a.conf", line: 2))) { try lines("port = 1\nport") }
    #expect(throws: OptionError.self) { try lines("config = other.conf") }
    #expect(throws: OptionError.self) { try lines("port = many") }
  }

  @Test("a variable gives the value of its option, if it is one")
  func variables() throws {
    #expect(try Self.options.given(in: ["HOST_OF_TEST": "::1", "PORT": "1"]).map(\.name) == ["host"])
    var port = Self.options[0]
    port.variable = "PORT"
    #expect(throws: OptionError.self) { try [port].given(in: ["PORT": "x"]) }
  }
}
