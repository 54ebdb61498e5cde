public import Signaling

/// Reads and writes frames, with the checks of ``SignalingDecoder`` before anything is parsed.
public struct MessagingCoder: Sendable {
  public init() {}

  /// Reads a text frame of an endpoint.
  public func endpointMessage(from frame: [UInt8]) throws(SignalingError) -> EndpointMessage {
    try SignalingDecoder().decode(EndpointMessage.self, from: frame, maximumBytes: MessagingLimits.maximumBytes)
  }

  /// Reads a text frame of the service.
  public func serviceMessage(from frame: [UInt8]) throws(SignalingError) -> ServiceMessage {
    try SignalingDecoder().decode(ServiceMessage.self, from: frame, maximumBytes: MessagingLimits.maximumServiceBytes)
  }

  /// The number of a request that is not understood otherwise; nil where there is none.
  public func requestID(of frame: [UInt8]) -> Int? {
    struct Frame: Decodable {
      struct Request: Decodable { var id: Int }
      var request: Request
    }
    return (try? SignalingDecoder().decode(Frame.self, from: frame, maximumBytes: MessagingLimits.maximumBytes))?
      .request.id
  }

  public func encode(_ message: some Encodable) throws -> String { try SignalingEncoder().encode(message) }
}
