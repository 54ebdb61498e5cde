import Signaling

/// A message of a client, with the `id` that messages of every type may have. A refusal names the message by it.
struct ClientFrame: Sendable {
  var message: ClientMessage
  /// Nil where there is none, or none that is an integer.
  var id: Int?

  /// Reads one text frame.
  init(_ bytes: [UInt8]) throws(SignalingError) {
    self = try SignalingDecoder().decode(Self.self, from: bytes, maximumBytes: SignalingLimits.maximumBytes)
  }

  /// The `id` of a frame that isn't a message. Only an object within the limits has one, since nothing else is parsed.
  static func id(of bytes: [UInt8]) -> Int? {
    (try? SignalingDecoder().decode(Number.self, from: bytes, maximumBytes: SignalingLimits.maximumBytes))?.id
  }

  private struct Number: Decodable {
    var id: Int
  }
}

extension ClientFrame: Decodable {
  init(from decoder: any Decoder) throws {
    message = try ClientMessage(from: decoder)
    id = try? Number(from: decoder).id
  }
}
