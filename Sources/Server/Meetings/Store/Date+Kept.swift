public import FoundationEssentials

extension Date {
  /// Now, to the millisecond, as the store keeps it. Times are reported and stored like this: a finer time may be
  /// another second once it was stored.
  public static var kept: Date { Date().kept }

  /// The same to the millisecond.
  public var kept: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1_000).rounded() / 1_000) }
}
