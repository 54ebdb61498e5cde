// On Apple systems the SDK's umbrella header brings UIKit and Foundation. On Linux this file doesn't name the module
// UIKit: together with Testing that would ask for an overlay that the toolchain for Linux lacks.
#if canImport(UIKit) && !os(Linux)
  @_exported public import UIKit
#else
  @_exported public import ParleyViews
#endif
@_exported public import Foundation
