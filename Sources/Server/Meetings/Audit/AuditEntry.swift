public import FoundationEssentials

/// One right that somebody used: who, in whose name, what, on what, and when. Never a secret.
public struct AuditEntry: Sendable, Hashable {
  /// Its place in the log; given by the store.
  public var sequence: Int
  public var time: Date
  /// Who: `admin` with the address they came from, `cli` with the user of the machine, or a participant.
  public var actor: String
  /// The name of the tenant that it was about; empty for the server itself.
  public var tenant: String
  /// The action, such as `tenant.create`.
  public var action: String
  /// The id or name of what it was done to.
  public var target: String
  /// Further details, as a short text.
  public var detail: String

  /// Whether somebody without a credential has caused it: of those a bounded number is kept.
  public var isAnonymous: Bool

  /// The most entries kept that people without a credential have caused.
  public static let maximumAnonymous = 100_000
  /// How long entries are kept, in seconds: 400 days, so that one year can be compared with the next.
  public static let kept: TimeInterval = 400 * 24 * 3_600
  /// The most characters of each text.
  static let maximumText = 300

  public init(
    time: Date, actor: String, tenant: String = "", action: String, target: String, detail: String = "",
    isAnonymous: Bool = false
  ) {
    sequence = 0
    self.isAnonymous = isAnonymous || actor == "anybody"
    self.time = time
    self.actor = Self.line(actor)
    self.tenant = tenant
    self.action = action
    self.target = Self.line(target)
    self.detail = Self.line(detail)
  }

  /// Text of others as one bounded line.
  private static func line(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(maximumText).map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: " "
          default: scalar
          }
        }))
  }
}
