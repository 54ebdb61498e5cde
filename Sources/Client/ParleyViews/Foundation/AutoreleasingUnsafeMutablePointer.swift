#if !canImport(UIKit) || os(Linux)
/// A pointer to where a call puts a further result, as calls of Objective-C are imported. There is nothing to release
/// on Linux.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
#endif
