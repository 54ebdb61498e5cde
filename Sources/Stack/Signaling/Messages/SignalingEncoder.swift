import FoundationEssentials

/// Writes messages as the JSON text of one frame.
public struct SignalingEncoder: Sendable {
  public init() {}

  /// The frame's text for `message`. Throws only for numbers that JSON cannot hold (not a number, infinite).
  public func encode(_ message: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(message), as: UTF8.self)
  }
}
