// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import Foundation

/// Texts for apps to show. Of the support library's methods this one is known.
@preconcurrency @MainActor public enum BBMUtilities {
  /// Seconds as `m:ss`, or `h:mm:ss` from an hour on.
  public static func duration(asString duration: TimeInterval) -> String! {
    let seconds = duration.isFinite && duration > 0 ? Int(min(duration, 1e9)) : 0
    let parts = seconds < 3_600 ? [seconds / 60] : [seconds / 3_600, seconds / 60 % 60]
    return (["\(parts[0])"] + (parts.dropFirst() + [seconds % 60]).map { $0 < 10 ? "0\($0)" : "\($0)" })
      .joined(separator: ":")
  }
}
