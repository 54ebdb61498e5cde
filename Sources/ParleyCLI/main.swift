import Glibc
import MeetingServer

// Before any other thread is made, since those take over which signals are blocked.
let signals = StopSignals.take()
let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case "serve": exit(await ServeCommand.run(Array(arguments.dropFirst()), signals: signals))
case "demo": exit(await DemoCommand.run(Array(arguments.dropFirst()), signals: signals))
case "join": finish(await JoinCommand.run(Array(arguments.dropFirst()), signals: signals))
case "load": finish(await LoadCommand.run(Array(arguments.dropFirst()), signals: signals))
case "version", "--version": CommandLineText.say("parley \(ParleyVersion.current)\n")
case nil, "help", "--help", "-h": CommandLineText.say(CommandLineText.help + "\n")
case let word?:
  CommandLineText.complain("There is no command \"\(word)\". `parley --help` lists them all.")
  exit(2)
}
finish(0)

/// Ends the process: what was asked for but could not be written is a failure too.
func finish(_ status: Int32) -> Never {
  guard let problem = CommandLineText.outputProblem else { exit(status) }
  CommandLineText.complain(problem)
  exit(status == 0 ? 1 : status)
}
