/// The packets and bytes that the participants of a load run have received within a span of time.
struct LoadRate {
  var seconds: Double
  var packets = 0.0
  var lost = 0.0
  var bits = 0.0
  var frames = 0.0
  var freezes = 0
  /// Packets that were sent.
  var sent = 0
  /// Frames that were encrypted, and those that were opened; nil in a meeting that isn't encrypted.
  var sealed: Int?
  var opened: Int?
  /// Seconds of CPU time that the run itself took.
  var cpu: Double
  /// Packets that came, and that the system dropped since this process did not read them in time.
  var unread = 0
  /// The time that the thread for the media was busy.
  var mediaThread = MediaThreadTime()

  /// Of how much of the time the media thread may be busy, or waiting for a processor, before what is measured is how
  /// fast that is.
  static let mostBusy = 0.9

  private var lossPercent: Double { percent(lost) }
  /// Packets that were lost and not dropped here.
  private var serverLossPercent: Double { percent(max(lost - Double(unread), 0)) }
  private var microsecondsPerPacket: Double? { packets > 0 ? 1e6 * cpu / packets : nil }
  private var busyPercent: Double { 100 * mediaThread.running / seconds }
  private var waitingPercent: Double { 100 * mediaThread.waiting / seconds }

  /// Why this run itself was the limit, so that its figures say little about the server; nil when it was not.
  var ownLimit: String? {
    var reasons: [String] = []
    if mediaThread.running + mediaThread.waiting >= Self.mostBusy * seconds {
      let waiting = waitingPercent >= 1 ? ", and waited for a processor for \(Int(waitingPercent)) %" : ""
      reasons.append("its thread for media was busy for \(Int(busyPercent)) % of the time\(waiting)")
    }
    if unread > 0 {
      reasons.append("it did not read \(unread) packet\(unread == 1 ? "" : "s") in time")
    }
    guard !reasons.isEmpty else { return nil }
    return "parley load itself was the limit: \(reasons.joined(separator: "; ")). "
      + "Have fewer participants in each process, or run it on other machines."
  }

  private func percent(_ lost: Double) -> Double { packets + lost > 0 ? 100 * lost / (packets + lost) : 0 }
  private var megabits: Double { bits / seconds / 1e6 }

  /// For `--json`.
  var line: JSONLine {
    var line: JSONLine = [
      "seconds": .number(seconds), "packetsReceived": .integer(Int(packets)),
      "packetsPerSecond": .number(packets / seconds), "megabitsPerSecond": .number(megabits),
      "lossPercent": .number(lossPercent), "framesPerSecond": .number(frames / seconds),
      "freezes": .integer(freezes), "packetsSent": .integer(sent), "ownCPUPercent": .number(100 * cpu / seconds),
      "ownCPUMicrosecondsPerPacket": JSONLine.Value(microsecondsPerPacket), "packetsUnread": .integer(unread),
      "serverLossPercent": .number(serverLossPercent), "mediaThreadBusyPercent": .number(busyPercent),
      "mediaThreadWaitingPercent": .number(waitingPercent), "ownLimit": JSONLine.Value(ownLimit),
    ]
    if let sealed { line.add("framesSealed", .integer(sealed)) }
    if let opened { line.add("framesOpened", .integer(opened)) }
    return line
  }

  var words: String {
    "received \(Int(packets / seconds)) packets/s, \(Self.tenths(megabits)) Mb/s, \(Int(frames / seconds)) frames/s, "
      + "lost \(Self.tenths(lossPercent)) %\(unread > 0 ? " (\(Self.tenths(serverLossPercent)) % the server's)" : ""), \(freezes) freeze\(freezes == 1 ? "" : "s"), own CPU "
      + "\(Int(100 * cpu / seconds)) %"
  }

  private static func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
