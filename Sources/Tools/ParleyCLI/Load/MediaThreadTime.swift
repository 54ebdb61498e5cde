import FoundationEssentials

/// The counts of the thread that carries all media of this process, since it began.
struct MediaThreadTime: Equatable {
  /// Seconds that it ran.
  var running = 0.0
  /// Seconds that it could have run, but waited for a processor.
  var waiting = 0.0

  static func now() -> MediaThreadTime {
    let tasks = "/proc/self/task"
    var total = MediaThreadTime()
    for id in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
      guard let name = try? String(contentsOfFile: "\(tasks)/\(id)/comm", encoding: .utf8), name == "parley-media\n",
        let text = try? String(contentsOfFile: "\(tasks)/\(id)/schedstat", encoding: .utf8),
        let time = MediaThreadTime(schedstat: text)
      else { continue }
      total.running += time.running
      total.waiting += time.waiting
    }
    return total
  }

  init() {}

  /// From `/proc/PID/task/TID/schedstat`: nanoseconds on a processor, nanoseconds on a run queue, time slices.
  init?(schedstat text: String) {
    let fields = text.split { $0.isWhitespace }
    guard fields.count >= 2, let running = UInt64(fields[0]), let waiting = UInt64(fields[1]) else { return nil }
    self.running = Double(running) / 1e9
    self.waiting = Double(waiting) / 1e9
  }

  func since(_ before: MediaThreadTime) -> MediaThreadTime {
    var time = self
    time.running = max(running - before.running, 0)
    time.waiting = max(waiting - before.waiting, 0)
    return time
  }
}
