import Parley

/// The secret of ``OTSession/setEncryptionSecret(_:error:)``, made into the link secret of one session.
struct EncryptionSecret: Sendable, Equatable {
  /// Characters that OpenTok allows.
  private static let lengths = 8...256

  let linkSecret: LinkSecret

  init(_ text: String, session: String) throws(OTError) {
    guard Self.lengths.contains(text.count) else {
      throw OTError(.sessionInvalidEncryptionSecret, "An encryption secret has 8 to 256 characters.")
    }
    guard let secret = try? LinkSecret(shared: text, session: session) else {
      throw OTError(.sessionInvalidEncryptionSecret, "No key could be made from the encryption secret.")
    }
    linkSecret = secret
  }
}
