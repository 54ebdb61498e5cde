import Glibc
import MeetingServer
import Parley

// Before any other thread is made, since those take over which signals are blocked.
let signals = StopSignals.take()
// Before any thread of a server is made, for the same reason; other commands end on SIGHUP.
let reloads = ["serve", "demo"].contains(CommandLine.arguments.dropFirst().first) ? ReloadSignal.take() : nil
var arguments = Array(CommandLine.arguments.dropFirst())
// "parley help join" means "parley join --help".
if arguments.count == 2, arguments[0] == "help" { arguments = [arguments[1], "--help"] }

switch arguments.first {
case "serve": quit(await ServeCommand.run(Array(arguments.dropFirst()), signals: signals, reloads: reloads))
case "demo": quit(await DemoCommand.run(Array(arguments.dropFirst()), signals: signals, reloads: reloads))
case "join": finish(await JoinCommand.run(Array(arguments.dropFirst()), signals: signals))
case "load": finish(await LoadCommand.run(Array(arguments.dropFirst()), signals: signals))
case "tenant": finish(await TenantCommand.group.run(Array(arguments.dropFirst())))
case "token": finish(await TokenCommand.group.run(Array(arguments.dropFirst())))
case "meeting": finish(await MeetingCommand.group.run(Array(arguments.dropFirst())))
case "user": finish(await UserCommand.group.run(Array(arguments.dropFirst())))
case "webhook": finish(await WebhookCommand.group.run(Array(arguments.dropFirst())))
case "audit": finish(await AuditCommand.group.run(Array(arguments.dropFirst())))
case "backup": finish(await BackupCommand.backUp(Array(arguments.dropFirst())))
case "restore": finish(await BackupCommand.restore(Array(arguments.dropFirst())))
case "version", "--version": CommandLineText.say("parley \(ParleyVersion.current)\n")
case nil, "help", "--help", "-h": CommandLineText.say(CommandLineText.help + "\n")
case let word?:
  CommandLineText.complain("There is no command \"\(word)\". `parley --help` lists them all.")
  quit(2)
}
finish(0)

/// Ends the process: what was asked for but could not be written is a failure too.
func finish(_ status: Int32) -> Never {
  let isRead = CommandLineText.drain()
  guard isRead else { quit(status == 0 ? 1 : status) }
  guard let problem = CommandLineText.outputProblem else { quit(status) }
  CommandLineText.complain(problem)
  quit(status == 0 ? 1 : status)
}

/// Ends the process at once, threads and all. `exit` would first take apart what libraries hold, while threads of the media engine may
/// still be using it.
func quit(_ status: Int32) -> Never {
  _ = CommandLineText.drain()
  fflush(nil)
  _exit(status)
}
