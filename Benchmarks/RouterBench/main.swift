import Foundation

let usage = """
  Forwards a recorded picture to N receivers, or N recorded voices to each other, through the real router and real encryption, without
  sockets, so that instructions and allocations of a packet can be counted. It says how often references are counted and memory is
  allocated, apart for packets, reports and what time brings.

  usage: router-bench [--receivers N | --voices N] [--packets N] [--idle | --uncounted] [--check]

  --check fails where packets or reports count references or allocate. Benchmarks/instructions.py counts instructions, and takes from the
  calls of a run those of an idle one (--idle), which does all but what is measured.
  """

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
var isCounted = true
var isCheck = false
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  if name == "--help" || name == "-h" {
    print(usage)
    exit(0)
  }
  if name == "--idle" {
    isIdle = true
    continue
  }
  if name == "--uncounted" {
    isCounted = false
    continue
  }
  if name == "--check" {
    isCheck = true
    continue
  }
  guard let text = arguments.popFirst(), let value = Int(text), value > 0 else {
    fail("expected a number above 0 after '\(name)'")
  }
  switch name {
  case "--receivers": receivers = value
  case "--voices": voices = value
  case "--packets": packets = value
  default: fail("expected --receivers N, --voices N, --packets N, --idle, --uncounted or --check, got '\(name)'")
  }
}

/// Everything in here is counted, and nothing else.
@inline(never)
func measuredWork(_ room: some BenchMeeting, _ recording: BenchRecording) {
  for tick in recording.ticks.indices { room.work(recording, tick: tick) }
}

/// Lets the meeting happen once, and again with the same packets and reports, of which those after the `first` packets
/// are counted: streams have begun by then, estimates have settled and stores have their size.
@MainActor func measure<Meeting: BenchMeeting>(
  after first: Int, packets: Int, isIdle: Bool, _ make: () throws -> Meeting
) throws {
  let original = try make()
  let begin = original.record(packets: first)
  let forwarded = original.forwarded
  let recording = original.record(packets: first + packets)
  let room = try make()
  room.isReplay = true
  for tick in begin.ticks.indices { room.work(begin, tick: tick) }
  guard room.forwarded == forwarded else { fail("the second run differs from the first") }
  if isIdle { return }
  if isCounted { CountedWork.startCounting() }
  measuredWork(room, recording)
  guard room.forwarded == original.forwarded else { fail("the second run differs from the first") }
  let reports = recording.reports.count
  print("\(room.title), \(packets) packets in, \(room.forwarded - forwarded) packets out, \(reports) reports taken")
  guard isCounted else { return }
  let timeouts = recording.ticks.count
  print(CountedWork.packets.line("packets", room.forwarded - forwarded, "that left"))
  print(CountedWork.reports.line("reports", reports, "taken"))
  print(CountedWork.timeouts.line("what time brings", timeouts, "ms and \(room.participants) participants"))
  guard isCheck else { return }
  for work in [CountedWork.packets, .reports] {
    let counts = work.counts
    guard counts.retains == 0, counts.releases == 0, counts.objects == 0, counts.allocations == 0 else {
      fail(
        "\(work) counted references or allocated. Benchmarks/instructions.py says which functions did; keep them from owning what a list or property owns (BorrowedReference)."
      )
    }
  }
}

if voices > 0 {
  let trace = trace("opus")
  // Each voice's store has its size after five seconds.
  try measure(after: voices * 300, packets: packets, isIdle: isIdle) { try BenchVoices(voices, trace: trace) }
} else {
  let trace = trace("vp8")
  try measure(after: 500, packets: packets, isIdle: isIdle) { try BenchRoom(receivers: receivers, trace: trace) }
}
