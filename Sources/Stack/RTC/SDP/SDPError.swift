public import Basics

/// Why a session description was refused. Each case says what was found and what was expected; ``description`` is a
/// sentence fit for the client's developer and holds no address, key or password.
public enum SDPError: Error, Hashable, Sendable {
  /// One of the hard limits was passed.
  case limit(SDPLimit)
  /// A line does not follow RFC 8866 or the attribute's own grammar. Lines count from 1.
  case malformed(line: Int, expected: String)
  /// A live m-section has no `a=mid`.
  case missingMID(section: Int)
  /// Two m-sections have the same mid.
  case duplicateMID(MID)
  /// A mid of the previous description now names another kind of media.
  case midChangedKind(MID)
  /// The m-section at this index had another mid before and was not stopped in between.
  case midChanged(section: Int, was: MID, now: MID?)
  /// A mid of the previous description moved to another m-section.
  case midMoved(MID)
  /// Fewer m-sections than before; they may be stopped, never removed (RFC 9429 section 5.2.2).
  case sectionsRemoved(had: Int, found: Int)
  /// The answer's m-sections do not line up with the offer's.
  case answerMismatch(section: Int, expected: String)
  /// A live m-section is not in the BUNDLE group.
  case notBundled(MID)
  /// A live m-section has no `a=rtcp-mux`.
  case missingRTCPMux(MID)
  /// The transport part (ICE credentials, fingerprint, setup) of the bundle is missing or unusable.
  case transport(expected: String)
  /// The m-section's transport protocol is not one that this stack speaks.
  case unsupportedProtocol(MID, found: String)
  /// One SSRC is claimed by two m-sections, or is listed for two purposes.
  case sourceConflict(SSRC)
  /// The builder can't do that in its present state.
  case invalidUse(expected: String)
}

extension SDPError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .limit(let limit):
      "The session description has too many \(limit.subject): at most \(limit.maximum) are accepted."
    case .malformed(let line, let expected):
      "Line \(line) of the session description is malformed: expected \(expected)."
    case .missingMID(let section):
      "The m-section at index \(section) has no a=mid line; every live m-section needs one."
    case .duplicateMID(let mid): "The mid \"\(mid)\" is used by two m-sections; each needs its own."
    case .midChangedKind(let mid):
      "The mid \"\(mid)\" was used for another kind of media before; a recycled m-section needs a new mid."
    case .midChanged(let section, let was, let now):
      "The m-section at index \(section) had the mid \"\(was)\" and now has "
        + (now.map { "\"\($0)\"" } ?? "none") + "; stop it in one offer before it is recycled in a later one."
    case .midMoved(let mid): "The mid \"\(mid)\" moved to another m-section; m-sections keep their order."
    case .sectionsRemoved(let had, let found):
      "The description has \(found) m-sections where the previous one had \(had); stop an m-section instead of removing it."
    case .answerMismatch(let section, let expected):
      "The m-section at index \(section) of the answer does not match the offer: expected \(expected)."
    case .notBundled(let mid):
      "The m-section \"\(mid)\" is not in the BUNDLE group; everything must be bundled on one transport."
    case .missingRTCPMux(let mid): "The m-section \"\(mid)\" has no a=rtcp-mux line; RTP and RTCP must share a port."
    case .transport(let expected): "The bundled transport is not usable: expected \(expected)."
    case .unsupportedProtocol(let mid, let found):
      "The m-section \"\(mid)\" uses \(found); expected UDP/TLS/RTP/SAVPF."
    case .sourceConflict(let ssrc): "The SSRC \(ssrc) is claimed twice; each source needs its own."
    case .invalidUse(let expected): "The operation is not possible now: expected \(expected)."
    }
  }
}
