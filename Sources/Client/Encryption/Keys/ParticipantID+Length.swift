import Basics

extension ParticipantID {
  /// Bytes of the longest id that messages carry.
  static let maximumLength = 128
}
