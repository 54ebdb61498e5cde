import FoundationEssentials
import Glibc
import Parley

/// `parley load`: many participants at once, to see what a server bears.
enum LoadCommand {
  static let table: [CommandOptions.Option] = [
    .init("publishers", "P", "how many participants send a picture and a voice (default 1)"),
    .init("subscribers", "S", "how many participants only receive (default 10)"),
    .init("duration", "S", "for how long to measure once everybody is in (default 10)"),
    .init("bitrate", "KBIT", "the video bitrate of each publisher in kilobits a second (default 600)"),
    .init("audio-only", nil, "send no picture"),
    .init(
      "slots", "N",
      "the most videos, and the most voices, that each participant receives (default: all that the server gives)"),
    .init("token", "TOKEN", "a join token, where the address has none"),
    .init("json", nil, "print JSON objects instead of words, the last line is the summary"),
    .init("insecure", nil, "trust any certificate of the server"),
  ]

  /// What `--slots` takes.
  static let slots = 1...16

  static let help = """
    Loads a server: participants with real connections (ICE, DTLS, SRTP) that receive and check everything, without decoding pictures.

    Usage: parley load URL [options]

    Options:
    \(CommandOptions.help(table))

    Point it at servers of your own only. The result is on standard output; progress, and why somebody could not join, on standard
    error (with --json in the summary). The exit status is 0 when everybody joined, 1 when somebody could not.
    """

  /// Runs the command and returns the exit status.
  @MainActor static func run(_ arguments: [String], signals: AsyncStream<Int32>) async -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      CommandLineText.say(help + "\n")
      return 0
    }
    do {
      let options = try CommandOptions(arguments, table: table)
      guard let url = options.operands.first, options.operands.count == 1 else {
        throw CommandOptions.Problem(
          description: "The address of one meeting is expected: parley load http://localhost:8080/hello")
      }
      let run = LoadRun(
        url: url, publishers: try options.number("publishers", in: 0...1_000) ?? 1,
        subscribers: try options.number("subscribers", in: 0...2_000) ?? 10,
        seconds: try options.seconds("duration") ?? 10,
        bitrate: .kilobits(Int64(try options.number("bitrate", in: 50...8_000) ?? 600)),
        sendsVideo: !options.has("audio-only"), slots: try options.number("slots", in: Self.slots),
        token: options["token"].map { Secret($0) }, isJSON: options.has("json"), isInsecure: options.has("insecure"))
      CommandLineText.queueOutput(notice: JSONLine.droppedNotice)
      return await run.run(signals)
    } catch let error as CommandOptions.Problem {
      CommandLineText.complain("\(error)")
      return 2
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
  }
}
