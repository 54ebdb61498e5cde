#if !canImport(UIKit) || os(Linux)
import Foundation

/// Keys that are held with another.
public struct UIKeyModifierFlags: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int
  /// Flags by their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let alphaShift = UIKeyModifierFlags(rawValue: 1 << 16)
  public static let shift = UIKeyModifierFlags(rawValue: 1 << 17)
  public static let control = UIKeyModifierFlags(rawValue: 1 << 18)
  public static let alternate = UIKeyModifierFlags(rawValue: 1 << 19)
  /// The key with a logo.
  public static let command = UIKeyModifierFlags(rawValue: 1 << 20)
}

/// A key of the keyboard, as it was pressed.
@preconcurrency @MainActor
public final class UIKey {
  /// The text that it types, together with the modifiers; empty for keys that type nothing.
  public let characters: String
  /// The text that it types without them.
  public let charactersIgnoringModifiers: String
  /// The keys that are held with it.
  public let modifierFlags: UIKeyModifierFlags

  public init(
    characters: String, charactersIgnoringModifiers: String? = nil, modifierFlags: UIKeyModifierFlags = []
  ) {
    self.characters = characters
    self.charactersIgnoringModifiers = charactersIgnoringModifiers ?? characters
    self.modifierFlags = modifierFlags
  }
}

/// The pressing of a key.
@preconcurrency @MainActor
public final class UIPress {
  public let key: UIKey?

  /// A press of `key`.
  public init(key: UIKey?) { self.key = key }
}

extension UIPress: Hashable {
  /// Whether they are the same press.
  nonisolated public static func == (one: UIPress, other: UIPress) -> Bool { one === other }
  /// Hashes the press's identity.
  nonisolated public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Presses that happen together.
public final class UIPressesEvent: UIEvent {
  public let allPresses: Set<UIPress>

  init(presses: Set<UIPress>) {
    allPresses = presses
    super.init(touches: nil)
  }
}

/// A receiver of typed text.
@preconcurrency @MainActor
public protocol UIKeyInput: AnyObject {
  /// Whether there is any text.
  var hasText: Bool { get }
  /// Types text at the end, or in place of what is selected.
  func insertText(_ text: String)
  /// Takes the last character away.
  func deleteBackward()
}
#endif
