import Basics
import FoundationEssentials

/// Reads frames into messages, with the limits of ``SignalingLimits`` held before anything is parsed.
///
/// The one way in: a size check, a scan for depth and duplicate keys, then the decoder. Cost: two passes over
/// the bytes. Stateless; a value may be shared between tasks.
public struct SignalingDecoder: Sendable {
  public init() {}

  /// Reads one text frame from a client.
  public func clientMessage(from frame: [UInt8]) throws(SignalingError) -> ClientMessage {
    try decode(ClientMessage.self, from: frame, maximumBytes: SignalingLimits.maximumBytes)
  }

  /// Reads one text frame from a server.
  public func serverMessage(from frame: [UInt8]) throws(SignalingError) -> ServerMessage {
    try decode(ServerMessage.self, from: frame)
  }

  /// Reads any JSON object with the same limits, e.g. a discover document.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], maximumBytes: Int = SignalingLimits.maximumServerBytes
  ) throws(SignalingError) -> Value {
    guard bytes.count <= maximumBytes else { throw .tooLarge(bytes: bytes.count) }
    do throws(JSONScan.Problem) {
      try JSONScan.check(bytes, maximumDepth: SignalingLimits.maximumDepth)
    } catch {
      throw Self.translate(error)
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try decoder.decode(Value.self, from: Data(bytes))
    } catch let error as SignalingError {
      throw error
    } catch let error as DecodingError {
      throw Self.translate(error)
    } catch {
      throw .badMessage("it has an unexpected form")
    }
  }

  private static func translate(_ problem: JSONScan.Problem) -> SignalingError {
    switch problem {
    case .tooDeep: .tooDeep
    case .duplicateKey(let key): .duplicateKey(key)
    case .notJSON(let reason): .notJSON(reason)
    case .combiningMarks:
      .badMessage("a text has more than \(CombiningMarks.longestRun) combining marks in a row")
    }
  }

  private static func translate(_ error: DecodingError) -> SignalingError {
    func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
      var keys = context.codingPath
      if let last { keys.append(last) }
      // Array indices and keys come from the message; the length is bounded so that the answer is too.
      return String(keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".").prefix(80))
    }
    switch error {
    case .keyNotFound(let key, let context): return .badMessage("the key \"\(path(context, key))\" is missing")
    case .valueNotFound(_, let context): return .badMessage("the value of \"\(path(context))\" is null")
    case .typeMismatch(let type, let context):
      if context.codingPath.isEmpty { return .badMessage("it is not a JSON object") }
      return .badMessage("the value of \"\(path(context))\" should be of type \(type)")
    case .dataCorrupted(let context):
      if context.codingPath.isEmpty { return .notJSON("it does not follow the grammar") }
      return .badMessage("the value of \"\(path(context))\" is not one of those allowed")
    @unknown default: return .badMessage("it has an unexpected form")
    }
  }
}
