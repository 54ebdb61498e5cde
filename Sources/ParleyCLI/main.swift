import Glibc
import MeetingServer

// Before any other thread is made, since those take over which signals are blocked.
let signals = StopSignals.take()
let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case "serve": exit(await ServeCommand.run(Array(arguments.dropFirst()), signals: signals))
case "demo": exit(await DemoCommand.run(Array(arguments.dropFirst()), signals: signals))
case "join": exit(await JoinCommand.run(Array(arguments.dropFirst()), signals: signals))
case "load": exit(await LoadCommand.run(Array(arguments.dropFirst()), signals: signals))
case "version", "--version": CommandLineText.say("parley \(ParleyVersion.current)\n")
case nil, "help", "--help", "-h": CommandLineText.say(CommandLineText.help + "\n")
case let word?:
  CommandLineText.complain("There is no command \"\(word)\". `parley --help` lists them all.")
  exit(2)
}
