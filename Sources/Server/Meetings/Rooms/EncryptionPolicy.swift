/// Whether meetings may be end-to-end encrypted, or must be.
///
/// It applies to every join, also of a meeting that was decided under another policy: such a meeting can't be joined
/// until the policy allows its mode again.
public enum EncryptionPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// No meeting is encrypted.
  case off
  /// A meeting is encrypted if its first participant, or whoever makes it, asks for that.
  case offered
  /// The same, and the start page asks for it unless somebody says otherwise.
  case preselected = "default"
  /// Every meeting is encrypted.
  case required

  /// The mode of a meeting of which `decided` is known: that, or the only one that is possible; nil while it is open.
  public func mode(decided: Bool?) -> Bool? {
    switch self {
    case .off: decided ?? false
    case .offered, .preselected: decided
    case .required: decided ?? true
    }
  }

  /// Whether a meeting may be made in a mode.
  public func allows(_ isEncrypted: Bool) -> Bool {
    switch self {
    case .off: !isEncrypted
    case .offered, .preselected: true
    case .required: isEncrypted
    }
  }
}
