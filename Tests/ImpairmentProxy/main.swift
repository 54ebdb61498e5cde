import Foundation

/// Prints at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

do {
  let proxy = try ImpairmentProxy(ProxyOptions(Array(CommandLine.arguments.dropFirst())))
  let signals = Signals.stream(of: [SIGINT, SIGTERM, SIGUSR1])
  say("Listening on \(try await proxy.start())")
  for await number in signals {
    say(await proxy.statistics())
    if number != SIGUSR1 { break }
  }
} catch {
  FileHandle.standardError.write(Data("impairment-proxy: \(error)\n".utf8))
  exit(2)
}
