import Foundation

// router-bench [--receivers N] [--packets N]: forwards a recorded picture through the real router and real encryption, without sockets, so that
// instructions and allocations of a packet can be counted:
//   valgrind --tool=callgrind --demangle=no '--toggle-collect=*measuredWork*' .build/release/router-bench --packets 1000
// and, with Benchmarks/AllocationCounter preloaded, what it allocates.

var receivers = 50
var packets = 1_000
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  guard let text = arguments.popFirst(), let value = Int(text), value > 0, name == "--receivers" || name == "--packets"
  else {
    FileHandle.standardError.write(
      Data("router-bench: expected --receivers N or --packets N with a number above 0, got '\(name)'\n".utf8))
    exit(1)
  }
  if name == "--receivers" { receivers = value } else { packets = value }
}

let path = "Benchmarks/Traces/vp8.csv"
guard let trace = try? PublishedTrace(contentsOf: URL(fileURLWithPath: path)) else {
  FileHandle.standardError.write(Data("router-bench: \(path) cannot be read; start it in the project's folder\n".utf8))
  exit(1)
}
let room = try BenchRoom(receivers: receivers, trace: trace)

// Streams begin, estimates settle and stores get their size before anything is counted.
while room.published < 500 { room.tick() }
let forwarded = room.forwarded
let reports = room.reports
let allocations = AllocationCount.now
let end = room.published + packets
while room.published < end { room.measuredTick() }
let count = room.forwarded - forwarded
print("\(receivers) receivers, \(packets) packets in, \(count) packets out, \(room.reports - reports) reports taken")
if let before = allocations, let after = AllocationCount.now {
  print("\(after - before) allocations in all, those of the receivers' reports excluded")
}
