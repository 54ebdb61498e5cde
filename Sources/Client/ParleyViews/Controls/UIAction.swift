#if !canImport(UIKit) || os(Linux)
import Foundation

/// The closure of an action.
public typealias UIActionHandler = @MainActor (UIAction) -> Void

/// Something a control does when it is used.
@preconcurrency @MainActor
public final class UIAction {
  /// A name by which an action replaces another.
  public struct Identifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    /// An identifier by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// An identifier by its name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }

  public var title: String
  public var image: UIImage?
  /// By what another action replaces it.
  public let identifier: Identifier
  /// The control that was used, while the closure runs.
  public internal(set) weak var sender: AnyObject?
  let handler: UIActionHandler

  /// An action that calls a closure.
  public init(
    title: String = "", image: UIImage? = nil, identifier: Identifier? = nil, handler: @escaping UIActionHandler
  ) {
    self.title = title
    self.image = image
    self.identifier = identifier ?? Identifier(UUID().uuidString)
    self.handler = handler
  }

  func perform(sender: AnyObject?) {
    self.sender = sender
    handler(self)
    self.sender = nil
  }
}
#endif
