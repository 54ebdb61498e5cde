import Foundation
import Options
import Testing

@testable import ParleyCLI

/// The scripts and the manual of `parley` in the programs that read them, where these are installed.
@Suite("Completion and manual")
struct CompletionTests {
  /// Runs a program with `input` on its standard input; nil where it isn't installed.
  private func run(
    _ program: String, _ arguments: [String], _ input: String
  ) throws -> (output: String, errors: String)? {
    let places = ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + program }
    guard let path = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
    let file = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(input.utf8).write(to: file)
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    let problem = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: text, as: UTF8.self), String(decoding: problem, as: UTF8.self))
  }

  @Test(
    "bash completes commands, options and words",
    arguments: [
      (["parley", "se"], ["serve"]), (["parley", "token", "re"], ["revoke"]),
      (["parley", "serve", "--tls-"], ["--tls-cert", "--tls-key"]),
      (["parley", "serve", "--tls", "s"], ["self-signed"]), (["parley", "serve", "--tls", "=", "s"], ["self-signed"]),
      (["parley", "token", "create", "--role", "mod"], ["moderator"]),
      (["parley", "meeting", "schedule", "--early", ""], ["wait", "refuse", "open"]),
      (["parley", "serve", "--web", "/us"], ["/usr"]), (["parley", "completion", "b"], ["bash"]),
    ])
  func bash(line: [String], expected: [String]) throws {
    let words = line.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      \(ShellCompletion.bash.script(for: Program.root))
      COMP_WORDS=(\(words)) COMP_CWORD=\(line.count - 1)
      _parley
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    guard let answer = try run("bash", ["--norc", "-s"], script) else { return }
    #expect(answer.errors == "")
    #expect(answer.output.split(separator: "\n").map(String.init) == expected)
  }

  @Test("zsh and fish read their scripts without an error", arguments: [ShellCompletion.zsh, .fish])
  func syntax(shell: ShellCompletion) throws {
    let script = shell.script(for: Program.root)
    for entry in Program.root.listed { #expect(script.contains("\(entry.name)"), "\(shell): \(entry.name)") }
    guard let answer = try run(shell.rawValue, ["-n"], script) else { return }
    #expect(answer.errors == "")
  }

  @Test("the manual renders without a warning, and has every command and option")
  func manual() throws {
    let page = ManualCommand.text
    for entry in Program.root.listed { #expect(page.contains("parley \(entry.name)"), "\(entry.name)") }
    // Without overstriking for bold and underlined text.
    let options = ["-man", "-Tutf8", "-ww", "-rLL=78n", "-P-c", "-P-bou"]
    guard let answer = try run("groff", options, page) else { return }
    #expect(answer.errors == "")
    let text = answer.output.replacingOccurrences(of: "\u{1B}\\[[0-9;]*m", with: "", options: .regularExpression)
      .replacingOccurrences(of: "‐", with: "-")
    for option in ["--media-port", "--access-level", "--publish"] { #expect(text.contains(option), "\(option)") }
  }

  @Test("each command and option is described, and each name is there once")
  func declared() {
    func check(_ command: Command, _ path: String) {
      let names = command.options.map(\.name)
      #expect(Set(names).count == names.count, "\(path) declares an option twice")
      for option in command.options {
        #expect(!option.summary.isEmpty && !option.summary.hasSuffix("."), "\(path) --\(option.name)")
        if let value = option.defaultValue { #expect(option.kind.accepts(value), "\(path) --\(option.name)") }
      }
      #expect(!command.summary.isEmpty, "\(path)")
      for next in command.commands { check(next, "\(path) \(next.name)") }
    }
    check(Program.root, "parley")
  }

  @Test("a command that is not there is answered with the one that may be meant")
  func unknownCommand() {
    let text = Program.noCommand("sirve", of: Program.root.listed.map(\.name))
    #expect(text == "There is no command \"sirve\". Did you mean 'serve'? `parley --help` lists them all.")
    #expect(Program.noCommand("token lst", of: ["token list"], "token").contains("Did you mean 'token list'"))
  }
}
