import Glibc
import MeetingServer
import Options
import Parley

var arguments = Array(CommandLine.arguments.dropFirst())
// "parley help join" means "parley join --help".
if arguments.count > 1, arguments[0] == "help" { arguments = arguments.dropFirst() + ["--help"] }
let selected = arguments.first.flatMap { Program.entry($0) }
// Before any other thread is made, since those take over which signals are blocked.
let signals = StopSignals.intercept()
// Before any thread of a server is made, for the same reason; other commands end on SIGHUP.
let reloads = selected?.isServer == true ? ReloadSignal.intercept() : nil

switch arguments.first {
case "version", "--version": CommandLineText.say("parley \(ParleyVersion.current)\n")
case nil, "help", "--help", "-h": CommandLineText.say(Program.root.help("parley") + "\n")
case let word?:
  guard let selected else {
    CommandLineText.complain(Program.noCommand(word, of: Program.root.listed.map(\.name)))
    quit(2)
  }
  let status = await selected.run(
    Program.Invocation(arguments: Array(arguments.dropFirst()), signals: signals, reloads: reloads))
  if selected.isServer { quit(status) }
  finish(status)
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

/// Ends the process at once, threads and all. `exit` would first take apart what libraries hold, while threads of the
/// media engine may still be using it.
func quit(_ status: Int32) -> Never {
  _ = CommandLineText.drain()
  fflush(nil)
  _exit(status)
}
