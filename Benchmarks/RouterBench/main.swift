import Foundation

// router-bench [--receivers N | --voices N] [--packets N] [--idle]: forwards a recorded picture to N receivers, or N recorded voices to each other, through
// the real router and real encryption, without sockets, so that instructions and allocations of a packet can be counted. Benchmarks/instructions.py
// counts instructions, and takes from the calls of a run those of an idle one, which does all but what is measured. With Benchmarks/AllocationCounter preloaded it says what it allocates.

func fail(_ reason: String) -> Never {
  FileHandle.standardError.write(Data("router-bench: \(reason)\n".utf8))
  exit(1)
}

func trace(_ name: String) -> PublishedTrace {
  let path = "Benchmarks/Traces/\(name).csv"
  guard let trace = try? PublishedTrace(contentsOf: URL(fileURLWithPath: path)) else {
    fail("\(path) cannot be read; start it in the project's folder")
  }
  return trace
}

var receivers = 50
var voices = 0
var packets = 1_000
var isIdle = false
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  if name == "--idle" {
    isIdle = true
    continue
  }
  guard let text = arguments.popFirst(), let value = Int(text), value > 0 else {
    fail("expected a number above 0 after '\(name)'")
  }
  switch name {
  case "--receivers": receivers = value
  case "--voices": voices = value
  case "--packets": packets = value
  default: fail("expected --receivers N, --voices N or --packets N, got '\(name)'")
  }
}

/// Everything in here is counted, and nothing else.
@inline(never)
func measuredWork(_ room: some BenchMeeting, _ ticks: [BenchTick]) {
  for tick in ticks { room.work(tick) }
}

/// Lets the meeting happen once, and again with the same packets and reports, of which those after the first 500 packets are counted: streams have
/// begun by then, estimates have settled and stores have their size.
func measure<Meeting: BenchMeeting>(packets: Int, isIdle: Bool, _ make: () throws -> Meeting) throws {
  let original = try make()
  let begin = original.record(packets: 500)
  let before = original.forwarded
  let ticks = original.record(packets: 500 + packets)
  let room = try make()
  room.isReplay = true
  for tick in begin { room.work(tick) }
  guard room.forwarded == before else { fail("the second run differs from the first") }
  if isIdle { return }
  let allocations = AllocationCount.now
  measuredWork(room, ticks)
  let allocated = AllocationCount.now
  guard room.forwarded == original.forwarded else { fail("the second run differs from the first") }
  let reports = ticks.reduce(0) { $0 + $1.reports.count }
  print("\(room.title), \(packets) packets in, \(room.forwarded - before) packets out, \(reports) reports taken")
  if let allocations, let allocated { print("\(allocated - allocations) allocations") }
}

if voices > 0 {
  let trace = trace("opus")
  try measure(packets: packets, isIdle: isIdle) { try BenchVoices(voices, trace: trace) }
} else {
  let trace = trace("vp8")
  try measure(packets: packets, isIdle: isIdle) { try BenchRoom(receivers: receivers, trace: trace) }
}
