// What an app gets on Apple systems by `import OpenTok` alone: the umbrella header there brings UIKit and Foundation. Not by the name of the module
// UIKit on Linux: together with Testing that would ask for an overlay that the toolchain for Linux lacks.
#if canImport(UIKit) && !os(Linux)
  @_exported public import UIKit
#else
  @_exported public import ParleyViews
#endif
@_exported public import Foundation
