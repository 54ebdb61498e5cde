// The names that an app on Apple systems gets by `import UIKit`. There the names of this module are UIKit's own.
#if canImport(UIKit) && !os(Linux)
@_exported public import UIKit
#else
@_exported public import Foundation
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
#endif
