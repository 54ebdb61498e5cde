import Foundation

/// Published test vectors: a JSON file in the folder `Vectors` of a test target, with its source named in it.
public func vectors<Value: Decodable>(
  _ type: Value.Type, _ name: String, of file: String = #filePath
) throws -> Value {
  var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
  while folder.pathComponents.count > 1 {
    let found = folder.appendingPathComponent("Vectors/\(name)")
    if FileManager.default.fileExists(atPath: found.path) {
      return try JSONDecoder().decode(type, from: Data(contentsOf: found))
    }
    folder.deleteLastPathComponent()
  }
  throw CocoaError(.fileNoSuchFile)
}

/// Bytes that a file has in hexadecimal digits.
public struct Hex: Decodable, Sendable, ExpressibleByStringLiteral {
  /// The bytes.
  public let bytes: [UInt8]

  /// The bytes of digits in a test; empty when the text has anything but digits.
  public init(stringLiteral text: String) { bytes = Self.bytes(of: text) ?? [] }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Self.bytes(of: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
    }
    self.bytes = bytes
  }

  private static func bytes(of text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

/// The cases of a selection of Wycheproof's.
public struct Cases<Case: Decodable>: Decodable {
  public let cases: [Case]
}
