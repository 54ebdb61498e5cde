/// A short message of an application's own that the server passes on at once and keeps nowhere: what OpenTok calls a
/// signal.
///
/// Unlike data messages it travels over the signalling socket, so it needs no media connection, and server-side code
/// can send it too.
public struct Signal: Sendable, Hashable {
  /// The subject, which the application defines. May be empty.
  public var type: String
  /// The content. May be empty.
  public var data: String

  /// The most bytes of ``type``.
  public static let maximumType = 128
  /// The most bytes of ``data`` in UTF-8.
  public static let maximumData = 8 * 1_024
  /// The most bytes of ``data`` in an encrypted meeting, sealed and written in base64url.
  public static let maximumSealedData = EncryptionLimits.textLength(
    bytes: maximumData + EncryptionLimits.sealedOverhead)

  public init(type: String = "", data: String = "") {
    self.type = type
    self.data = data
  }

  /// The fault that keeps the signal from being sent; nil when there is none.
  public var problem: SignalProblem? { problem(isSealed: false) }

  /// The same for a signal of an encrypted meeting, whose ``data`` is sealed if `isSealed`.
  public func problem(isSealed: Bool) -> SignalProblem? {
    guard type.utf8.count <= Self.maximumType else { return .typeTooLong }
    guard type.utf8.allSatisfy(Self.isAllowed) else { return .badType }
    return data.utf8.count <= (isSealed ? Self.maximumSealedData : Self.maximumData) ? nil : .dataTooLong
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...122).contains(byte | 32) || "-_~".utf8.contains(byte)
  }
}

extension Signal: Codable {
  // A message's own kind has the key `type` already.
  private enum CodingKeys: String, CodingKey {
    case type = "signal"
    case data
  }

  /// Reads a signal; both keys may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    type = try container.decodeIfPresent(String.self, forKey: .type) ?? ""
    data = try container.decodeIfPresent(String.self, forKey: .data) ?? ""
  }
}
