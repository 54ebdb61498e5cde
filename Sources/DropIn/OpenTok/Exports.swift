// On Apple systems, `import OpenTok` alone brings UIKit and Foundation, by the umbrella header. On Linux this file
// doesn't name the module UIKit: together with Testing that would ask for an overlay that the toolchain for Linux
// lacks.
#if canImport(UIKit) && !os(Linux)
  @_exported public import UIKit
#else
  @_exported public import ParleyViews
#endif
@_exported public import Foundation
