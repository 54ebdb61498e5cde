#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Whether an object's class is the one that is named, or made from it.
private func isInstance(_ object: Any, of aClass: AnyClass) -> Bool {
  var mirror: Mirror? = Mirror(reflecting: object)
  while let current = mirror {
    if current.subjectType == aClass { return true }
    mirror = current.superclassMirror
  }
  return false
}

extension UIResponder {
  /// Whether its class is this one, or made from it: what `self is aClass` says of a class that is not known when it is
  /// written.
  nonisolated public func isKind(of aClass: AnyClass) -> Bool { isInstance(self, of: aClass) }
  /// Whether its class is this one.
  nonisolated public func isMember(of aClass: AnyClass) -> Bool { type(of: self) == aClass }
}

extension NSObjectProtocol {
  /// Whether its class is this one, or made from it.
  public func isKind(of aClass: AnyClass) -> Bool { isInstance(self, of: aClass) }
  /// Whether its class is this one.
  public func isMember(of aClass: AnyClass) -> Bool { type(of: self) == aClass }
}
#endif
