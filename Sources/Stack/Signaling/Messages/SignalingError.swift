/// Why a frame could not be read as a message. Carries what the `error` answer needs.
public enum SignalingError: Error, Sendable, Equatable {
  /// The frame has `bytes` bytes, more than ``SignalingLimits/maximumBytes``.
  case tooLarge(bytes: Int)
  /// Objects and arrays are nested deeper than ``SignalingLimits/maximumDepth``.
  case tooDeep
  /// An object has the same key twice, so two readers could understand it differently.
  case duplicateKey(String)
  /// Not UTF-8, or not JSON.
  case notJSON(String)
  /// JSON, but not a message: what is missing or wrong.
  case badMessage(String)
  /// A message of a type that this version does not know.
  case unknownType(String)

  /// The code to answer with.
  public var code: SignalingErrorCode {
    switch self {
    case .tooLarge, .tooDeep: .tooLarge
    case .duplicateKey, .notJSON, .badMessage: .badMessage
    case .unknownType: .unknownType
    }
  }
}

extension SignalingError: CustomStringConvertible {
  /// The error and the expected form, as a sentence.
  public var description: String {
    switch self {
    case .tooLarge(let bytes):
      "The message has \(bytes) bytes, which is more than is accepted."
    case .tooDeep:
      "The message is nested deeper than \(SignalingLimits.maximumDepth) levels."
    case .duplicateKey(let key): "The key \"\(key)\" appears twice in one object."
    case .notJSON(let why): "The message is not valid JSON: \(why)."
    case .badMessage(let why): "The message cannot be understood: \(why)."
    case .unknownType(let type): "This server does not know messages of type \"\(type)\"."
    }
  }
}
