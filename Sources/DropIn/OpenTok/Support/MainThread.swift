import Foundation

/// Runs `body` on the main actor, after whatever was asked for before: calls of one thread keep their order.
func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
  DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
}

/// Whether the caller is on the main queue. In a program that has called `dispatchMain()`, that is on other threads
/// than the first.
var isOnMain: Bool { DispatchQueue.getSpecific(key: mainMark.value) == true || Thread.isMainThread }

/// The mark by which the main queue is recognised.
private let mainMark = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return Carried(value: key)
}()
