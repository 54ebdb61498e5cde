import Foundation
public import ParleyViews

#if !canImport(UIKit) || os(Linux)
  // A file that observes need not import the views for it.
  @_exported public import class ParleyViews.NSKeyValueObservation
  @_exported public import enum ParleyViews.NSKeyValueChange
  @_exported public import struct ParleyViews.NSKeyValueChangeKey
  @_exported public import struct ParleyViews.NSKeyValueObservedChange
  @_exported public import struct ParleyViews.NSKeyValueObservingOptions
#endif

/// An observer of properties by name. On Apple's systems every `NSObject` is one, and `observeValue` is an override.
/// Here that holds for every `UIResponder`, such as a screen; another class says that it is one, and leaves `override`
/// away.
@preconcurrency @MainActor public protocol SfBKeyValueObserver: AnyObject {
  /// A property has changed, or its initial value is reported.
  func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  )
}

// Screens, and whatever else is a responder, have `observeValue` to override, as on Apple's systems.
extension UIResponder: SfBKeyValueObserver {}
