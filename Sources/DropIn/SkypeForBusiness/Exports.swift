// On Apple systems, `import SkypeForBusiness` alone brings Foundation, by the headers of the SDK.
@_exported public import Foundation

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
