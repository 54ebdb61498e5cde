/// The result of ``IceLiteAgent/receive(_:path:now:)``. Send the reply, if any, back over the same path at once.
public enum IceLiteAction: Hashable, Sendable {
  /// An authentic check: send `reply`; `change` says what is different now.
  case answered(reply: [UInt8], change: IcePathChange)
  /// An authentic check that cannot be carried out: send `reply`; nothing has changed.
  case refused(reply: [UInt8], IceRefusal)
  /// No reply, no change.
  case ignored(IceIgnoredReason)
}

/// The effect of an authentic check on the selected path.
public struct IcePathChange: Hashable, Sendable {
  /// The path is proven now and was not before: accept DTLS and media from it.
  public var isValidated = false
  /// The path has just become the selected one: send everything over it from now on.
  public var isSelected = false

  /// Nothing but consent was renewed.
  public static let none = IcePathChange()

  /// A change of these parts.
  public init(isValidated: Bool = false, isSelected: Bool = false) {
    self.isValidated = isValidated
    self.isSelected = isSelected
  }
}
