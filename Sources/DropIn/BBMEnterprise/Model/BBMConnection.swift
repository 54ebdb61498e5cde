public import Foundation
import ParleyViews

/// The way of messages between the data model and the core of the service.
@preconcurrency @MainActor public final class BBMConnection: BBMObject {
  nonisolated static let sharedLock = NSLock()

  /// Held while the model is written. A thread other than the main one holds it while it reads the model.
  public nonisolated var readWriteLock: NSLock { Self.sharedLock }

  /// Takes a message for the core; nil while the service isn't started.
  var sendToCore: (([String: Any]) -> Void)?

  override init() { super.init() }

  func send(_ message: [String: Any]) { sendToCore?(message) }

  /// Writes the model. Monitors run once each, when all is written.
  func write(_ changes: () -> Void) {
    Watchers.batch {
      readWriteLock.lock()
      defer { readWriteLock.unlock() }
      changes()
    }
  }
}
