import Meetings
import Options
import Testing

@testable import ParleyCLI

@Suite struct CommandOptionsTests {
  private static let table: [CommandOptions.Option] = [
    .init("name", .text("NAME"), "a name"), .init("json", "a switch"),
    .init("key", .text("K"), repeats: true, "may come again"), .init("count", .number(0...3), "a number"),
    .init("time", .time("S"), "a time"), .init("limit", .either(.number(1...9), "none"), default: "5", "a limit"),
  ]

  private func read(_ arguments: String...) throws -> CommandOptions {
    try CommandOptions(arguments, table: Self.table)
  }

  @Test("Options, switches and operands are told apart, in any order") func reads() throws {
    let options = try read("http://x/y", "--json", "--name", "--json", "--key=a", "--key", "b=c", "-", "--count=3")
    #expect(options.operands == ["http://x/y", "-"])
    #expect(options.has("json") && !options.has("time"))
    // The argument after an option is its value, whatever it looks like.
    #expect(options["name"] == "--json")
    #expect(options.all("key") == ["a", "b=c"] && options["key"] == "b=c")
    #expect(options["count"] == "3" && options["time"] == nil && options.all("time") == [])
  }

  @Test(
    "What cannot be understood is refused with words that name it",
    arguments: [
      (["--nope"], "--nope is not known"), (["-x"], "-x is not known"), (["--"], "-- is not known"),
      (["--=x"], "is not known"), (["--json=1"], "--json takes no value"), (["--name"], "--name needs a value"),
      (["--name", "a", "--name", "b"], "--name was given twice"), (["--json", "--json"], "given twice"),
      (["--Name", "a"], "--Name is not known"),
    ]) func refuses(_ arguments: [String], _ words: String)
  {
    let problem = #expect(throws: CommandOptions.Problem.self) { try CommandOptions(arguments, table: Self.table) }
    #expect(problem?.description.contains(words) == true, "\(String(describing: problem))")
  }

  @Test("Numbers are whole and within their range")
  func numbers() throws {
    #expect(try read("--count", "3").number("count") == 3)
    #expect(try read().number("count") == nil)
    for text in ["4", "-1", "", " 1", "1.0", "0x1", "99999999999999999999", "١", "1e3"] {
      #expect(throws: CommandOptions.Problem.self, "\(text)") { try read("--count", text) }
    }
  }

  @Test("An option that is not given has its variable's value, or else its default")
  func defaults() throws {
    #expect(try read().limit("limit") == 5 && read("--limit", "none").limit("limit") == .some(nil))
    #expect(try read("--limit", "7").count("limit") == 7 && !read().has("limit"))
    func folder(_ arguments: [String], _ environment: [String: String]) throws -> String {
      DataFolder.path(try CommandOptions(arguments, table: [DataFolder.option], environment: environment))
    }
    #expect(try folder([], [:]) == "data" && folder([], ["PARLEY_DATA": "b"]) == "b")
    #expect(try folder(["--data", "c"], ["PARLEY_DATA": "b"]) == "c")
  }

  @Test("Times have a unit or are seconds, and none is endless or negative")
  func times() throws {
    let good: [(String, Double)] = [
      ("10", 10), ("2.5", 2.5), ("0", 0), ("500ms", 0.5), ("10s", 10), ("5m", 300), ("1h", 3_600), ("10000000", 1e7),
      ("2777h", 9_997_200), ("1e7s", 1e7),
    ]
    for (text, seconds) in good { #expect(try read("--time", text).seconds("time") == seconds, "\(text)") }
    for text in [
      "", "s", "ms", "-1", "-0.1s", "nan", "inf", "infinity", "1e9", "1e300h", "5 m", "1d", "1m30s", "1e7h", "1e7m",
      "0x10h",
      "0x10", "2778h",
    ] {
      #expect(throws: CommandOptions.Problem.self, "\(text)") { try read("--time", text) }
    }
  }

  @Test("One meeting is named in one of three ways")
  func targets() throws {
    func target(_ arguments: String...) throws -> JoinTarget {
      try JoinTarget(CommandOptions(arguments, table: JoinCommand.table))
    }
    guard case .address("http://x/y", nil) = try target("http://x/y") else { throw Unexpected() }
    guard case .address("http://x/y", let token?) = try target("http://x/y", "--token", "t"), token.value == "t"
    else { throw Unexpected() }
    guard case .token(let token, "http://x") = try target("--token", "t", "--server", "http://x"), token.value == "t"
    else { throw Unexpected() }
    guard case .discover("http://x/d", nil) = try target("--discover", "http://x/d") else { throw Unexpected() }
    let wrong: [[String]] = [
      [], ["a", "b"], ["--token", "t"], ["--server", "http://x"], ["http://x/y", "--discover", "http://x/d"],
      ["--server", "http://x", "--token", "t", "--discover", "http://x/d"],
    ]
    for arguments in wrong {
      #expect(throws: CommandOptions.Problem.self, "\(arguments)") {
        try JoinTarget(CommandOptions(arguments, table: JoinCommand.table))
      }
    }
  }

  private struct Unexpected: Error {}
}
