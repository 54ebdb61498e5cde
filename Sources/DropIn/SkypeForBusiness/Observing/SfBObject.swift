public import Foundation
public import Observation
public import ParleyViews

/// The base of the SDK's classes: an object whose changing properties can be observed.
///
/// An `NSObject` with the observing that those of Apple's systems have. Everything belongs to the main actor, where the
/// SDK asked for the main thread. Objects are compared by identity.
@preconcurrency @MainActor open class SfBObject: NSObject, Observable {
  let registrar = ObservationRegistrar()
  private var keyed: [KeyedObservation] = []

  /// Objects come from the SDK; an app makes none.
  init(internal: Void) { super.init() }

  /// The properties that can be observed by name.
  class var keys: [ObservableKey] { [] }

  /// Not nil while the object is observed by name, as apps ask before they take an observer away. Setting it has no
  /// effect.
  open var observationInfo: UnsafeMutableRawPointer? {
    get {
      keyed.removeAll { $0.observer == nil }
      return keyed.isEmpty ? nil : Unmanaged.passUnretained(self).toOpaque()
    }
    set {}
  }

  /// Reports changes of a property to `observer` by its name, as key-value observing does on Apple's systems.
  ///
  /// The name may be a path, such as `sender.displayName` of a message, also through values that change. The value at
  /// its end is reported again when an object on the way changes, and is `NSNull` while there is none. Booleans,
  /// numbers and enumerations are `NSNumber`. A name that does not exist is reported on standard error and observed
  /// without effect, where Apple's systems end the program.
  open func addObserver(
    _ observer: any SfBKeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer? = nil
  ) {
    guard var path = self.path(keyPath) else { return }
    let last = path.removeLast()
    let entry = KeyedObservation(observer: observer, keyPath: keyPath, context: context)
    keyed.append(entry)
    let owner: ObservableKey.Owner = { [weak self, path] in
      path.reduce(self) { owner, key in owner.flatMap(key.object) }
    }
    let observation = last.observe(owner, options) { [weak self, weak observer] change in
      observer?.observeValue(forKeyPath: keyPath, of: self, change: change, context: context)
    }
    // The observer may have removed itself when it got the initial value.
    if keyed.contains(where: { $0 === entry }) { entry.observation = observation } else { observation.invalidate() }
  }

  /// The properties that a path leads through, one after the other. Nil, which is reported, when there is no such path.
  private func path(_ keyPath: String) -> [ObservableKey]? {
    var path: [ObservableKey] = []
    var owner: SfBObject.Type? = type(of: self)
    for name in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
      let keys = owner?.keys ?? []
      guard let key = keys.first(where: { $0.name == name }) else {
        let known = keys.isEmpty ? "nothing" : keys.map(\.name).sorted().joined(separator: ", ")
        let holder = owner.map { "\($0)" } ?? path.last?.name ?? ""
        let why = "\(holder) has no property \(name). It has: \(known)."
        FileHandle.standardError.write(Data("SkypeForBusiness: \(keyPath) cannot be observed. \(why)\n".utf8))
        return nil
      }
      path.append(key)
      owner = key.target
    }
    return path
  }

  /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began. Harmless when it was not begun.
  open func removeObserver(_ observer: any SfBKeyValueObserver, forKeyPath keyPath: String) {
    removeLast { $0.observer === observer && $0.keyPath == keyPath }
  }

  /// Ends the observation that was begun with this context.
  open func removeObserver(
    _ observer: any SfBKeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
  ) {
    removeLast { $0.observer === observer && $0.keyPath == keyPath && $0.context == context }
  }

  private func removeLast(where matches: (KeyedObservation) -> Bool) {
    keyed.removeAll { $0.observer == nil }
    guard let index = keyed.lastIndex(where: matches) else { return }
    keyed.remove(at: index).observation?.invalidate()
  }
}

/// An observer by name.
@MainActor private final class KeyedObservation {
  weak var observer: (any SfBKeyValueObserver)?
  let keyPath: String
  let context: UnsafeMutableRawPointer?
  var observation: NSKeyValueObservation?

  init(observer: any SfBKeyValueObserver, keyPath: String, context: UnsafeMutableRawPointer?) {
    self.observer = observer
    self.keyPath = keyPath
    self.context = context
  }
}
