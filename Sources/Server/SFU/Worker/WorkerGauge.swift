internal import Synchronization

/// How busy a worker is, written by its thread and read by whoever places participants.
final class WorkerGauge: Sendable {
  private let permille = Atomic<Int>(0)

  /// Share of the last tenth of a second that was busy, 0 to 1.
  var utilization: Double {
    get { Double(permille.load(ordering: .relaxed)) / 1_000 }
    set { permille.store(Int(min(max(newValue, 0), 1) * 1_000), ordering: .relaxed) }
  }
}
