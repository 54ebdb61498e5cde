#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Makes the screen a segue leads to, and brings it there.
struct SegueMaker {
  enum Kind {
    case show, present, embed
  }

  let kind: Kind
  let make: @MainActor () -> UIViewController
}

/// A set of screens and the ways between them. Storyboard files are not read on Linux; an app says in code what its
/// file says:
///
/// ```swift
/// let main = UIStoryboard(name: "Main", bundle: nil)
/// main.register("Licence") { LicenceViewController() }
/// main.registerSegue("join", from: "Start", to: "Conversation", kind: .show)
/// ```
///
/// Code that looks a screen up by its identifier needs no change. Storyboards of the same name share one registry.
@preconcurrency @MainActor
public final class UIStoryboard {
  /// How a segue brings its screen.
  public enum SegueKind: Hashable, Sendable {
    /// In the navigation controller, or over the screen where there is none.
    case show
    /// Over the present screen, by `present(_:animated:)`.
    case presentModally
  }

  private final class Registry {
    var makers: [String: @MainActor () -> UIViewController?] = [:]
    var initial: String?
    var segues: [String: [String: (kind: SegueKind, destination: String)]] = [:]
  }

  private static var registries: [String: Registry] = [:]

  public let name: String
  private let registry: Registry

  /// The storyboard of a name; `storyboardBundleOrNil` is ignored.
  public init(name: String, bundle storyboardBundleOrNil: Bundle?) {
    self.name = name
    registry = Self.registries[name] ?? Registry()
    Self.registries[name] = registry
  }

  /// Says how the screen of an identifier is made. `isInitial` makes it the one that
  /// ``instantiateInitialViewController()`` gives.
  public func register(
    _ identifier: String, isInitial: Bool = false, _ make: @escaping @MainActor () -> UIViewController
  ) {
    registry.makers[identifier] = make
    if isInitial { registry.initial = identifier }
  }

  /// Says which class the screen of an identifier has. It is made by its `init(coder:)`, as from a storyboard file.
  public func register(_ identifier: String, isInitial: Bool = false, class controller: UIViewController.Type) {
    registry.makers[identifier] = { controller.init(coder: NSKeyedArchiver(requiringSecureCoding: false)) }
    if isInitial { registry.initial = identifier }
  }

  /// Says where a segue of a screen leads.
  public func registerSegue(
    _ identifier: String, from source: String, to destination: String, kind: SegueKind = .show
  ) {
    registry.segues[source, default: [:]][identifier] = (kind, destination)
  }

  /// The screen of an identifier.
  ///
  /// - Precondition: It was registered, as a storyboard file on Apple systems must have it;
  ///   ``viewController(withIdentifier:)`` asks.
  public func instantiateViewController(withIdentifier identifier: String) -> UIViewController {
    guard let controller = viewController(withIdentifier: identifier) else {
      preconditionFailure(
        "The storyboard '\(name)' has no screen '\(identifier)'. It has: \(registry.makers.keys.sorted()). Register it first."
      )
    }
    return controller
  }

  /// The screen of an identifier, nil when nobody registered it.
  public func viewController(withIdentifier identifier: String) -> UIViewController? {
    guard let controller = registry.makers[identifier]?() else { return nil }
    controller.storyboard = self
    for (segue, way) in registry.segues[identifier] ?? [:] {
      controller.segues[segue] = SegueMaker(kind: way.kind == .show ? .show : .present) { [self] in
        instantiateViewController(withIdentifier: way.destination)
      }
    }
    return controller
  }

  /// The first screen, nil when none is.
  public func instantiateInitialViewController() -> UIViewController? {
    registry.initial.flatMap { viewController(withIdentifier: $0) }
  }
}

/// The way from a screen to the next.
@preconcurrency @MainActor
open class UIStoryboardSegue {
  public let identifier: String?
  public let source: UIViewController
  public let destination: UIViewController
  private let kind: SegueMaker.Kind

  init(identifier: String, source: UIViewController, destination: UIViewController, kind: SegueMaker.Kind) {
    self.identifier = identifier
    self.source = source
    self.destination = destination
    self.kind = kind
  }

  open func perform() {
    switch kind {
    case .show: source.show(destination, sender: nil)
    case .present: source.present(destination, animated: true)
    case .embed: break
    }
  }
}

extension UIViewController {
  /// Says where a segue of this screen leads, for a screen that comes from no storyboard.
  public func registerSegue(
    _ identifier: String, kind: UIStoryboard.SegueKind = .show, to make: @escaping @MainActor () -> UIViewController
  ) {
    segues[identifier] = SegueMaker(kind: kind == .show ? .show : .present, make: make)
  }

  func follow(_ identifier: String, _ sender: Any?) {
    guard let maker = segues[identifier] else {
      preconditionFailure(
        "\(type(of: self)) has no segue '\(identifier)'. It has: \(segues.keys.sorted()). Register it first.")
    }
    guard shouldPerformSegue(withIdentifier: identifier, sender: sender) else { return }
    let segue = UIStoryboardSegue(
      identifier: identifier, source: self, destination: maker.make(), kind: maker.kind)
    prepare(for: segue, sender: sender)
    segue.perform()
  }
}
#endif
