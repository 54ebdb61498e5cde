import Parley

/// Leaves a meeting once, whoever wishes it first: a signal, a command, the end of the time. The process must not end
/// before the server knows.
@MainActor final class LeaveTask {
  private let meeting: Meeting
  private var task: Task<Void, Never>?

  init(from meeting: Meeting) { self.meeting = meeting }

  func leave() {
    if task == nil { task = Task { await meeting.leave() } }
  }

  /// Waits until the server knows, if ``leave()`` was called.
  func finished() async { await task?.value }
}
