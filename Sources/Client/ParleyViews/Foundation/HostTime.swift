#if !canImport(UIKit) || os(Linux)
import Dispatch

/// This machine's clock, in nanoseconds.
public func mach_absolute_time() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
#endif
