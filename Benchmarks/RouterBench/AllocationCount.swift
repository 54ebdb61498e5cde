import Glibc

/// The number of heap allocations of this process so far, where `Benchmarks/AllocationCounter` is preloaded.
enum AllocationCount {
  private typealias Function = @convention(c) () -> UInt64

  private static let function: Function? = {
    guard let symbol = dlsym(nil, "allocation_count") else { return nil }
    return unsafeBitCast(symbol, to: Function.self)
  }()

  /// Nil without the counter.
  static var now: UInt64? { function.map { $0() } }
}
