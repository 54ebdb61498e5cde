extension ClientMessage {
  /// Reads the announcement of an `announce`.
  static func announcement<Key: CodingKey>(in container: KeyedDecodingContainer<Key>, _ key: Key) throws -> String {
    let text = try container.decode(String.self, forKey: key)
    let limit = EncryptionLimits.announcementBytes
    guard EncryptionLimits.isEncoded(text, atMost: limit) else {
      throw SignalingError.badMessage("\"\(key.stringValue)\" is not 1 to \(limit) bytes in base64url")
    }
    return text
  }

  /// Reads the envelopes of a `keyEnvelopes`.
  static func envelopes<Key: CodingKey>(
    in container: KeyedDecodingContainer<Key>, _ key: Key
  ) throws -> [AddressedEnvelope] {
    let envelopes = try container.decode([AddressedEnvelope].self, forKey: key)
    guard envelopes.count <= EncryptionLimits.envelopes else {
      throw SignalingError.badMessage(
        "\"\(key.stringValue)\" has \(envelopes.count) entries, at most \(EncryptionLimits.envelopes) are taken")
    }
    let limit = EncryptionLimits.envelopeBytes
    guard envelopes.allSatisfy({ EncryptionLimits.isEncoded($0.envelope, atMost: limit) }) else {
      throw SignalingError.badMessage("an envelope is not 1 to \(limit) bytes in base64url")
    }
    return envelopes
  }
}
