import Basics
import Foundation

/// The load of the whole machine, so that a figure can say how much of it others had during the measurement.
struct MachineLoad {
  private let busy: Double
  private let own: Double
  private let at = ContinuousClock.now

  /// A look at the counters now.
  init() {
    let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let fields = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap { Double($0) }
    // user, nice, system, idle, iowait, irq, softirq, steal
    let ticks = fields.count < 8 ? 0 : fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7]
    busy = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    own =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }

  /// The share of one core that this process has used since, and the cores that all but this process and `server`
  /// seconds of the measured one have used.
  func since(server: Double) -> (load: Double, others: Double) {
    let now = MachineLoad()
    let wall = max((ContinuousClock.now - at) / .seconds(1), 1e-3)
    let load = now.own - own
    return (load / wall, max(now.busy - busy - load - server, 0) / wall)
  }
}
