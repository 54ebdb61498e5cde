/// The hard limits of a session description. They are checked while reading, before anything is kept, so that a hostile
/// description costs no more than its own bytes.
public enum SDPLimit: Hashable, Sendable, CaseIterable {
  /// Bytes of the whole description.
  case totalBytes
  /// Bytes of one line, without its end.
  case lineBytes
  case lines
  case mediaSections
  /// `a=candidate` lines of one media section (or of the session level). More are counted and left out, the one limit
  /// that refuses nothing.
  case candidates
  /// Payload types listed in one media section.
  case formats
  /// `a=rtcp-fb` lines of one media section.
  case feedbackLines
  /// `a=extmap` lines of one media section.
  case headerExtensions
  /// Distinct sources (`a=ssrc`) of one media section.
  case sources
  /// `a=ssrc-group` lines of one media section.
  case sourceGroups
  /// `a=msid` lines of one media section.
  case streamIDs
  /// `a=rid` lines of one media section.
  case rids
  /// `a=fingerprint` lines of one media section.
  case fingerprints

  /// The largest value that is accepted.
  public var maximum: Int {
    switch self {
    case .totalBytes: 256 * 1024
    case .lineBytes: 8 * 1024
    case .lines: 10_000
    case .mediaSections: 256
    case .candidates: 64
    case .formats: 128
    case .feedbackLines: 1_024
    case .headerExtensions: 64
    case .sources: 64
    case .sourceGroups: 64
    case .streamIDs: 16
    case .rids: 16
    case .fingerprints: 8
    }
  }

  /// The counted thing, in words for an error message.
  public var subject: String {
    switch self {
    case .totalBytes: "bytes in the description"
    case .lineBytes: "bytes in a line"
    case .lines: "lines"
    case .mediaSections: "m-sections"
    case .candidates: "candidates in an m-section"
    case .formats: "payload types in an m-section"
    case .feedbackLines: "rtcp-fb lines in an m-section"
    case .headerExtensions: "extmap lines in an m-section"
    case .sources: "SSRCs in an m-section"
    case .sourceGroups: "ssrc-group lines in an m-section"
    case .streamIDs: "msid lines in an m-section"
    case .rids: "rid lines in an m-section"
    case .fingerprints: "fingerprints in an m-section"
    }
  }
}
