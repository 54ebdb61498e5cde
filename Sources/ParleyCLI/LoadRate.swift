/// What the participants of a load run have received within a span of time.
struct LoadRate {
  var seconds: Double
  var packets = 0.0
  var lost = 0.0
  var bits = 0.0
  var frames = 0.0
  var freezes = 0
  /// Packets that were sent.
  var sent = 0
  /// Seconds of CPU time that the run itself took.
  var cpu: Double

  private var lossPercent: Double { packets + lost > 0 ? 100 * lost / (packets + lost) : 0 }
  private var megabits: Double { bits / seconds / 1e6 }

  /// For `--json`.
  var line: JSONLine {
    [
      "seconds": .number(seconds), "packetsReceived": .integer(Int(packets)),
      "packetsPerSecond": .number(packets / seconds), "megabitsPerSecond": .number(megabits),
      "lossPercent": .number(lossPercent), "framesPerSecond": .number(frames / seconds),
      "freezes": .integer(freezes), "packetsSent": .integer(sent), "ownCPUPercent": .number(100 * cpu / seconds),
    ]
  }

  /// For people.
  var words: String {
    "received \(Int(packets / seconds)) packets/s, \(Self.tenths(megabits)) Mb/s, \(Int(frames / seconds)) frames/s, "
      + "lost \(Self.tenths(lossPercent)) %, \(freezes) freeze\(freezes == 1 ? "" : "s"), own CPU "
      + "\(Int(100 * cpu / seconds)) %"
  }

  private static func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
