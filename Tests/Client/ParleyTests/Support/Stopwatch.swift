import Basics
import Foundation
import Parley

/// The time that something takes, less the time for which the machine gave this process's ready threads no core: the
/// load of others isn't slowness of the code. On a quiet one that is next to nothing, and the bound holds as it stands.
/// While something is waited for that does not come, the threads sleep and are not ready: that counts in full. For
/// tests in which the process does nothing else, since threads that encode pictures all the time wait for cores all the
/// time.
struct Stopwatch {
  private let start = MonotonicClock.now
  private let before = Stopwatch.waits

  /// The time so far.
  var elapsed: TimeSpan { max(MonotonicClock.now - start - starved, .zero) }

  /// How much is taken off it. A thread that has ended since takes its share along, so the sum is rather too low.
  private var starved: TimeSpan {
    TimeSpan(nanoseconds: Self.waits.reduce(0) { $0 + max($1.value - (before[$1.key] ?? 0), 0) })
  }

  /// The nanoseconds that each thread has waited for a core: the second field of `schedstat`
  /// (Documentation/scheduler/sched-stats.rst of Linux).
  private static var waits: [String: Int64] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.reduce(into: [:]) { waits, thread in
      let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/schedstat", encoding: .utf8)
      let fields = (text ?? "").split(separator: " ")
      if fields.count > 1 { waits[thread] = Int64(fields[1]) }
    }
  }
}
