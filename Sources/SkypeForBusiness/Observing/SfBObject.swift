import Foundation
public import Observation

/// What every class of the SDK is made of: an object whose changing properties can be observed.
///
/// It stands where the SDK has `NSObject` and its key-value observing. Everything belongs to the main actor, where the SDK asked for the main thread.
@preconcurrency @MainActor public class SfBObject: Observable, Hashable {
  let registrar = ObservationRegistrar()
  private var keyed: [KeyedObservation] = []

  /// Objects come from the SDK; an app makes none.
  init(internal: Void) {}

  /// Every object is equal to itself only.
  public nonisolated static func == (one: SfBObject, other: SfBObject) -> Bool { one === other }
  /// Every object is equal to itself only.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The properties that can be observed by name.
  class var keys: [ObservableKey] { [] }

  /// What belongs to this object for good, by its name: observed paths lead through it.
  func part(_ name: String) -> SfBObject? { nil }

  /// Tells `observer` of changes of a property by its name, as key-value observing does on Apple's systems.
  ///
  /// The name may be a path, such as `selfParticipant.audio.isMuted` of a conversation, through what belongs to an object for good. One that does
  /// not exist is reported on standard error and observed without effect, where Apple's systems end the program.
  public func addObserver(
    _ observer: any SfBKeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer? = nil
  ) {
    var owner: SfBObject = self
    var name = keyPath[...]
    while let dot = name.firstIndex(of: "."), let part = owner.part(String(name[..<dot])) {
      (owner, name) = (part, name[name.index(after: dot)...])
    }
    let keys = type(of: owner).keys
    guard let key = keys.first(where: { $0.name == name }) else {
      let known = keys.map(\.name).sorted().joined(separator: ", ")
      let line = "SkypeForBusiness: \(type(of: owner)) has no property \(name) to observe. It has: \(known).\n"
      FileHandle.standardError.write(Data(line.utf8))
      return
    }
    let entry = KeyedObservation(observer: observer, keyPath: keyPath, context: context)
    keyed.append(entry)
    let observation = key.observe(owner, options) { [weak self, weak observer] change in
      observer?.observeValue(forKeyPath: keyPath, of: self, change: change, context: context)
    }
    // The observer may have taken itself away when it was told the initial value.
    if keyed.contains(where: { $0 === entry }) { entry.observation = observation } else { observation.invalidate() }
  }

  /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began. Harmless when it was not begun.
  public func removeObserver(_ observer: any SfBKeyValueObserver, forKeyPath keyPath: String) {
    removeLast { $0.observer === observer && $0.keyPath == keyPath }
  }

  /// Ends the observation that was begun with this context.
  public func removeObserver(
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

/// Who observes by name.
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
