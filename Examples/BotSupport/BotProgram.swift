import Glibc

/// A bot as a program of the terminal: it says how it is used, and ends with a status that scripts can rely on.
///
///     await BotProgram("echo-bot", "Sends back what it sees and hears.", usage: "URL").run { arguments in … }
@MainActor public struct BotProgram {
  private let name: String
  private let purpose: String
  private let usage: String

  /// A program of that name, what it does in a sentence, and what stands behind its name on the command line: an
  /// address first, then in brackets what may be left out.
  public init(_ name: String, _ purpose: String, usage: String) {
    self.name = name
    self.purpose = purpose
    self.usage = usage
  }

  /// Runs the bot with the arguments of the command line, of which there is at least one. `--help` prints what it does
  /// and how it is used, and the status is 0; with other options, and too few or too many arguments it is 2. An error
  /// is one sentence on standard error, and the status is 1.
  public func run(_ bot: ([String]) async throws -> Void) async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") || arguments.contains("-h") {
      print(
        "\(purpose)\n\nusage: \(name) \(usage)\n\nURL is the address of a meeting, with #jwt= where it needs a token.")
      exit(0)
    }
    let most = usage.split(separator: " ").count
    guard (1...most).contains(arguments.count), !arguments.contains(where: { $0.hasPrefix("-") }) else {
      print("usage: \(name) \(usage)")
      exit(2)
    }
    do { try await bot(arguments) } catch {
      BotOutput.drain()
      // The errors of Parley are sentences for people.
      var text = "\(name): \(error)\n"
      text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
      exit(1)
    }
    BotOutput.drain()
  }
}
