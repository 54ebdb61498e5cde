import FoundationEssentials
import Glibc
import Options
import Parley

/// `parley load`: many participants at once, to see what a server bears.
enum LoadCommand {
  static let table: [Option] = [
    Option("publishers", .number(0...1_000, "P"), default: "1", "how many participants send a picture and a voice"),
    Option("subscribers", .number(0...2_000, "S"), default: "10", "how many participants only receive"),
    Option("duration", .time("S"), default: "10", "for how long to measure once everybody is in"),
    Option(
      "bitrate", .number(50...8_000, "KBIT"), default: "600",
      "the video bitrate of each publisher in kilobits a second"),
    Option("audio-only", "send no picture"),
    Option(
      "encrypted", "encrypt end to end, with a key of this run's own: the meeting must be new, or encrypted by it"),
    Option(
      "slots", .number(1...16), otherwise: "all that the server gives",
      "the most videos, and the most voices, that each participant receives"),
    Option("token", .text("TOKEN"), "a join token, where the address has none"),
    Option("json", "print JSON objects instead of words, the last line is the summary"),
    Option("insecure", "trust any certificate of the server"),
  ]

  static let declaration = Command(
    "load", operands: "URL", "load a server with participants and measure",
    overview:
      "Loads a server: participants with real connections (ICE, DTLS, SRTP) that receive and check everything, without decoding pictures.",
    options: table,
    discussion: """
      Point it at servers of your own only. The result is on standard output; progress, and why somebody could not join, on standard
      error (with --json in the summary). The exit status is 0 when everybody joined, 1 when somebody could not.
      """)

  /// Runs the command and returns the exit status.
  @MainActor static func run(_ arguments: [String], signals: AsyncStream<Int32>) async -> Int32 {
    if Program.showsHelp(declaration, "parley load", arguments) { return 0 }
    do {
      let options = try CommandOptions(arguments, table: table, command: "parley load")
      guard let url = options.operands.first, options.operands.count == 1 else {
        throw CommandOptions.Problem(
          description: "The address of one meeting is expected: parley load http://localhost:8080/hello")
      }
      let secret = try options.has("encrypted") ? LinkSecret() : nil
      let run = LoadRun(
        url: url, publishers: options.count("publishers"),
        subscribers: options.count("subscribers"),
        seconds: options.seconds("duration") ?? 0,
        bitrate: .kilobits(Int64(options.count("bitrate"))),
        sendsVideo: !options.has("audio-only"), secret: secret,
        slots: options.number("slots"),
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
