// The C library declares its streams as variables, which it never changes.
@preconcurrency import Glibc

/// A bot as a program of the terminal: it says how it is used, and ends with a status that scripts can rely on.
///
///     await BotProgram("echo-bot", usage: "URL").run { arguments in … }
@MainActor public struct BotProgram {
  private let name: String
  private let usage: String

  /// A program of that name; `usage` is what stands behind it on the command line, an address first.
  public init(_ name: String, usage: String) {
    self.name = name
    self.usage = usage
  }

  /// Runs the bot with the arguments of the command line, of which there is at least one. Without any it prints the usage, and the
  /// status is 2; an error is one sentence on standard error, and the status is 1.
  public func run(_ bot: ([String]) async throws -> Void) async {
    // Whoever reads a bot through a pipe wants each line when it is said.
    setvbuf(stdout, nil, _IOLBF, 0)
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard !arguments.isEmpty else {
      print("usage: \(name) \(usage)")
      exit(2)
    }
    do { try await bot(arguments) } catch {
      // The errors of Parley are sentences for people.
      var text = "\(name): \(error)\n"
      text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
      exit(1)
    }
  }
}
