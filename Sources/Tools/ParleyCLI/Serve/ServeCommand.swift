import FoundationEssentials
import Glibc
import MeetingServer
import Options

/// `parley serve`: runs a server until it gets a signal to stop.
enum ServeCommand {
  static let declaration = Command(
    "serve", "run a server", overview: "Runs a meeting server.", options: ServerConfiguration.options,
    discussion: """
      Each option is also a variable, --media-port as PARLEY_MEDIA_PORT, and but for --config a key in a configuration
      file. A flag wins over a variable, and a variable over the file.

      SIGTERM and SIGINT tell every participant, then end the server; another one, more than a second later, ends it at
      once. SIGHUP has it read its configuration file, certificate and pages again; when its terminal is closed it ends
      it, unless ignored, as nohup does.
      """)

  /// Runs the command and returns the exit status.
  ///
  /// `refusal` says why a configuration is not possible for the command, if it is not. `whileServing` is called when
  /// the server accepts joins; what it returns is called before the server ends.
  static func run(
    _ arguments: [String], signals: AsyncStream<Int32>, reloads: AsyncStream<Void>?,
    refusal: (ServerConfiguration) -> String? = { _ in nil },
    whileServing: (Server) async -> (() async -> Void)? = { _ in nil }
  ) async -> Int32 {
    if Program.showsHelp(declaration, "parley serve", arguments) { return 0 }
    let environment = ProcessInfo.processInfo.environment
    let settings: ServerSettings
    do throws(ConfigurationError) {
      settings = try ServerConfiguration.settings(arguments: arguments, environment: environment)
    } catch {
      CommandLineText.complain("\(error)")
      return 2
    }
    let configuration = settings.configuration
    if let words = refusal(configuration) {
      CommandLineText.complain(words)
      return 2
    }
    // A log that nobody reads must not stop the server.
    CommandLineText.queueOutput(notice: { _ in nil }, errorNotice: Log.droppedNotice)
    let log = Log(level: configuration.logLevel) { _ = CommandLineText.put($0, to: 2) }
    // First, since sockets are sized by it.
    OpenFileLimit.raise(log: log)
    let server: Server
    do throws(ServerError) {
      let media = try await SFUMediaPlane.start(configuration, log: log)
      server = try await Server.start(configuration, media: media, program: CommandLineText.program, log: log)
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
    CommandLineText.say(server.ready.text(onTerminal: isatty(1) == 1))
    for notice in server.notices { CommandLineText.complain(notice) }
    StartPages.release()
    let finish = await whileServing(server)
    let reloading = Task {
      var running = settings
      for await _ in reloads ?? AsyncStream { $0.finish() } {
        running = await server.reload(running) { () throws(ConfigurationError) in
          try ServerConfiguration.settings(arguments: arguments, environment: environment)
        }
      }
    }
    for await _ in signals { break }
    reloading.cancel()
    await finish?()
    await server.shutdown()
    return 0
  }
}
