import Basics

/// Measures a process's use of the machine from now on.
struct ProcessGauge {
  private let process: MeasuredProcess
  private let cpu: TimeSpan
  private let waiting: TimeSpan
  private let machine = MachineLoad()
  private let at = ContinuousClock.now

  init(_ process: MeasuredProcess) {
    self.process = process
    cpu = process.cpuTime
    waiting = process.waitingTime
  }

  struct Reading {
    /// Seconds of CPU time.
    var cpu: Double
    /// Seconds on the wall.
    var wall: Double
    /// Seconds that its threads waited for a core.
    var waiting: Double
    /// Cores that the load generator used, and that everybody else but it and the process used.
    var load: Double
    var others: Double
  }

  func read() -> Reading {
    let used = (process.cpuTime - cpu).seconds
    let machine = machine.since(server: used)
    return Reading(
      cpu: used, wall: (ContinuousClock.now - at) / .seconds(1), waiting: (process.waitingTime - waiting).seconds,
      load: machine.load, others: machine.others)
  }
}
