import Foundation

/// Prints at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Does what standard input says, until it ends.
func obey(_ proxy: ImpairmentProxy) async {
  let lines = AsyncStream<String> { sink in
    // Reading blocks, so it has a thread of its own.
    Thread.detachNewThread {
      while let line = readLine() { sink.yield(line) }
      sink.finish()
    }
  }
  for await line in lines {
    do throws(CommandLineError) {
      await proxy.change(try ProxyOptions.Change(command: line))
      say("Changed")
    } catch {
      say("Not changed: \(error)".replacing("\n", with: " "))
    }
  }
}

if CommandLine.arguments.contains("--help") || CommandLine.arguments.contains("-h") {
  say(ProxyOptions.usage)
  exit(0)
}
do {
  let options = try ProxyOptions(Array(CommandLine.arguments.dropFirst()))
  let proxy = try ImpairmentProxy(options)
  let signals = Signals.stream(of: [SIGINT, SIGTERM, SIGUSR1])
  say("Listening on \(try await proxy.start())")
  if options.readsCommands { Task { await obey(proxy) } }
  for await number in signals {
    say(await proxy.statistics())
    if number != SIGUSR1 { break }
  }
} catch {
  FileHandle.standardError.write(Data("impairment-proxy: \(error)\n".utf8))
  exit(2)
}
