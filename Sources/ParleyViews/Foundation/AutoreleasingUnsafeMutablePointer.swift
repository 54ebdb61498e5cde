#if !canImport(UIKit) || os(Linux)
/// Where a call puts what it gives besides its result, as calls of Objective-C are imported. There is nothing to release on Linux.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
#endif
