public import Crypto

/// The words of a poll in an encrypted meeting. Everybody with the link secret can read them, also late joiners; votes
/// go to the server as indices.
public struct PollSealing: Sendable {
  /// The question and the answers. The tag covers how people vote as well.
  public struct Words: Hashable, Sendable {
    public var question: String
    public var options: [String]

    /// The words of a poll.
    public init(question: String, options: [String]) {
      self.question = question
      self.options = options
    }
  }

  private static let version: UInt8 = 1
  /// Bytes of one text, as servers take them in clear.
  private static let maximumTextLength = 1_200
  private static let maximumOptions = 10

  private let key: SecretBytes

  /// The sealing of the polls of one meeting.
  public init(secret: LinkSecret, meeting: String) throws(CryptoError) {
    key = try secret.key("poll", meeting: meeting)
  }

  /// The sealed form of a poll, in base64url.
  ///
  /// - Parameter rules: How it is voted on, in a form that both ends write alike.
  public func seal(_ words: Words, rules: String) throws(CryptoError) -> String {
    guard words.options.count <= Self.maximumOptions,
      ([words.question] + words.options).allSatisfy({ $0.utf8.count <= Self.maximumTextLength })
    else { throw .tooLong }
    var writer = ByteWriter()
    writer.write(text: words.question)
    writer.write(UInt8(words.options.count))
    for option in words.options { writer.write(text: option) }
    let nonce = try SecretBytes.random(AEADNonce.length).unprotectedCopy()
    let sealed = try AESGCM.seal(
      writer.bytes.span, key: key, nonce: AEADNonce(nonce.span), authenticating: Self.header(rules).span)
    return Base64URL.encode([Self.version] + nonce + sealed)
  }

  /// The words of a sealed poll; nil for one that nobody with the secret has sealed, or with other rules.
  public func open(_ text: String, rules: String) -> Words? {
    guard let bytes = Base64URL.decode(text), bytes.count > AEADNonce.length, bytes[0] == Self.version else {
      return nil
    }
    let start = 1 + AEADNonce.length
    guard
      let content = try? AESGCM.open(
        bytes.span.extracting(start..<bytes.count), key: key,
        nonce: AEADNonce(bytes.span.extracting(1..<start)), authenticating: Self.header(rules).span)
    else { return nil }
    return Self.read(content)
  }

  private static func header(_ rules: String) -> [UInt8] { Array("Parley poll 1\0\(rules)".utf8) }

  private static func read(_ content: [UInt8]) -> Words? {
    var reader = ByteReader(content)
    do throws(KeyMessageError) {
      let question = try reader.readText(limit: maximumTextLength)
      let count = Int(try reader.read(UInt8.self))
      guard count <= maximumOptions else { return nil }
      var options: [String] = []
      for _ in 0..<count { options.append(try reader.readText(limit: maximumTextLength)) }
      try reader.finish()
      return Words(question: question, options: options)
    } catch { return nil }
  }
}
