/// The parts of a ``MediaSession`` that may have something to do.
struct SessionWork: OptionSet {
  let rawValue: UInt8

  static let connection = SessionWork(rawValue: 1)
  static let sender = SessionWork(rawValue: 2)
  static let slots = SessionWork(rawValue: 4)
  static let all: SessionWork = [.connection, .sender, .slots]
}
