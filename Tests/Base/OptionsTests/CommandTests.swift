import Options
import Testing

@Suite("Declared commands")
struct CommandTests {
  private static let root = Command(
    "tool", "a tool",
    commands: [
      Command(
        "run", operands: "FILE", "run a file",
        options: [
          Option("level", .choice(["low", "it's"]), default: "low", "how [much]: or little"),
          Option("out", .folder, repeats: true, "where to"), Option("quiet", "say nothing"),
        ], discussion: "One paragraph\nin two lines.\n\n.hidden files are left out."),
      Command("key", "keys", commands: [Command("add", "add a key"), Command("drop", "drop a key")]),
      Command("secret", "not for people", isHidden: true),
    ])

  @Test("help lists options with their defaults, and commands but those that are hidden")
  func help() {
    let run = Self.root.commands[0].help("tool run")
    #expect(run.hasPrefix("Run a file.\n\nUsage: tool run FILE [options]\n\nOptions:\n"))
    #expect(run.contains("  --level low|it's  how [much]: or little (low)\n"))
    #expect(run.contains("where to; may be repeated\n") && run.contains("  --help, -h"))
    let all = Self.root.help("tool")
    #expect(all.contains("  run FILE  run a file\n") && all.contains("Usage: tool <command> [options]"))
    #expect(!all.contains("secret"))
  }

  @Test("each shell's script has every command, option and word", arguments: ShellCompletion.allCases)
  func scripts(shell: ShellCompletion) {
    let script = shell.script(for: Self.root)
    for text in ["tool key add", "level", "quiet", "low", "drop"] {
      #expect(script.contains(text), "\(shell): \(text)")
    }
    #expect(!script.contains("secret"))
  }

  @Test("the manual escapes what roff would read")
  func manual() {
    let page = ManualPage.text(
      for: Self.root, version: "Tool 1", about: ["See [the guide](guide.md) for `tool`."], seeAlso: "sh(1)")
    #expect(page.contains("\nSee the guide for tool.\n"))
    #expect(page.contains("\n\\&.hidden files are left out.\n"))
    #expect(page.contains("\\fB\\-\\-level\\fR \\fIlow|it\\(aqs\\fR"))
    #expect(page.contains(".SS \"tool key add [options]\"") && !page.contains("secret"))
  }

  @Test("the reference has the keys of the configuration file by group")
  func reference() {
    var port = Option("port", .number(1...9), default: "5", "the port")
    port.isKey = true
    port.group = "Network"
    port.details = "See [ports](ports.md)"
    #expect(
      OptionReference.markdown([port, Option("config", .file, "a file")]) == """
        ### Network

        | key | value | default | meaning |
        |---|---|---|---|
        | `port` | 1 to 9 | `5` | the port. See [ports](ports.md) |

        """)
  }

  @Test("the name that was probably meant is near, or the only longer one")
  func nearest() {
    let names = ["serve", "join", "load", "token"]
    for (word, name) in [("sirve", "serve"), ("jion", "join"), ("tok", "token"), ("x", nil), ("restart", nil)] {
      #expect(NearestName.find(word, among: names) == name, "\(word)")
    }
  }
}
