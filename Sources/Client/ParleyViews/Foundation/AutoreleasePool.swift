#if !canImport(UIKit) || os(Linux)
/// Runs a body. On Apple systems it also releases what Objective-C has kept until then, and Linux keeps nothing.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif
