#if canImport(CoreMedia) && !os(Linux)
  import CoreMedia
#endif
import ParleyViews

extension CMTime {
  /// In nanoseconds; nil if it isn't a time, or too large.
  var stamp: Int64? {
    #if canImport(CoreMedia) && !os(Linux)
      guard isNumeric else { return nil }
    #endif
    guard timescale > 0 else { return nil }
    let scale = Int64(timescale)
    let (seconds, isTooLarge) = (value / scale).multipliedReportingOverflow(by: 1_000_000_000)
    // The rest is less than a second: it fits.
    let (sum, isTooMuch) = seconds.addingReportingOverflow(value % scale * 1_000_000_000 / scale)
    return isTooLarge || isTooMuch ? nil : sum
  }
}
