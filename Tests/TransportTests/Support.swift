import Basics
import Glibc
import Synchronization
import Testing
import Transport

/// A value that tests change from several threads.
final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
  func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// Waits until `condition` holds, or records `missing` as what was still missing.
func wait(
  _ missing: @autoclosure () -> String, within seconds: Double = 15,
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if await condition() { return }
    try? await Task.sleep(for: .milliseconds(2))
  }
  Issue.record("still missing after \(seconds) s: \(missing())", sourceLocation: sourceLocation)
}

let loopbackV4 = IPAddress(v4: 0x7F00_0001)
let loopbackV6 = IPAddress(high: 0, low: 1)
let anyV4 = IPAddress(v4: 0)
let anyV6 = IPAddress(high: 0, low: 0)

/// A descriptor number that is free now: equal before and after when nothing leaked.
func openDescriptors() -> Int {
  var count = 0
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  while readdir(directory) != nil { count += 1 }
  closedir(directory)
  return count
}
