import Encryption

/// Frames that were sealed and opened in an encrypted meeting, and those that were dropped. The W3C's statistics have
/// no such members.
///
/// ```swift
/// if let encryption = statistics.encryption {
///   print("\(encryption.framesOpened) opened, \(encryption.framesDropped[.noKey] ?? 0) without a key")
/// }
/// ```
public struct EncryptionStatistics: Hashable, Sendable {
  /// Why a frame was dropped. No reason ever leads to a plain frame.
  ///
  /// ```swift
  /// let drops = statistics.encryption?.framesDropped ?? [:]
  /// for reason in EncryptionStatistics.Reason.allCases { print(reason, drops[reason] ?? 0) }
  /// ```
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// There is no key yet, or none any more.
    case noKey
    /// It came in the place of somebody else.
    case wrongSender
    /// It came in the place of another track, such as a screen in place of a camera.
    case wrongTrack
    /// It is plain, or not in a form that encrypted frames have.
    case malformed
    /// It is plain, forged or damaged: its tag is wrong.
    case authenticationFailed
    /// It was there before, or is far too old.
    case replayed
    /// The key has come to its end.
    case keyExhausted
    /// It came before the server had said whose it is.
    case unassigned
    /// OpenSSL refused; out of memory in practice.
    case failed
  }

  /// Frames of own tracks that left encrypted.
  public internal(set) var framesSealed: UInt64 = 0

  /// Frames of others that were opened.
  public internal(set) var framesOpened: UInt64 = 0

  /// Frames of own tracks that did not leave, by reason; a reason that never came is not there.
  public internal(set) var framesNotSent: [Reason: UInt64] = [:]

  /// Frames of others that were not played, by reason; a reason that never came is not there.
  public internal(set) var framesDropped: [Reason: UInt64] = [:]
}

extension EncryptionStatistics.Reason {
  init(_ drop: FrameDrop) {
    self =
      switch drop {
      case .noKey: .noKey
      case .wrongSender: .wrongSender
      case .wrongTrack: .wrongTrack
      case .malformed: .malformed
      case .refused(let error):
        switch error {
        case .malformedHeader: .malformed
        case .unknownKey: .noKey
        case .authenticationFailed: .authenticationFailed
        case .replayed, .tooOld: .replayed
        case .keyExhausted: .keyExhausted
        case .keyTooShort, .cipherFailed: .failed
        }
      }
  }
}
