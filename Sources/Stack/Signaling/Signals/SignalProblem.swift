/// Why a signal cannot be sent.
public enum SignalProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The type has more than ``Signal/maximumType`` bytes.
  case typeTooLong
  /// The type has a character that types may not have.
  case badType
  /// The data has more than ``Signal/maximumData`` bytes.
  case dataTooLong

  /// The error and the allowed values, as a sentence.
  public var description: String {
    switch self {
    case .typeTooLong: "The type of a signal has at most \(Signal.maximumType) bytes."
    case .badType: "The type of a signal has only letters of ASCII, digits, '-', '_' and '~'."
    case .dataTooLong: "The data of a signal has at most \(Signal.maximumData) bytes of UTF-8."
    }
  }
}
