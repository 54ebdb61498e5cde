/// The keys of one context (RFC 9180 section 5.1).
struct HPKEKeySchedule {
  let key: SecretBytes
  let baseNonce: AEADNonce
  let exporterSecret: SecretBytes

  init(
    mode: UInt8, sharedSecret: SecretBytes, info: Span<UInt8>, psk: HPKE.PresharedKey?
  ) throws(CryptoError) {
    let kdf = LabeledKDF.hpke
    let id = psk?.id ?? []
    let secret = psk?.secret ?? SecretBytes(Span())
    let idHash = try kdf.extract(salt: Span(), label: "psk_id_hash", id.span)
    let infoHash = try kdf.extract(salt: Span(), label: "info_hash", info)
    var context = [mode]
    for part in [idHash, infoHash] {
      let bytes = part.bytes
      for index in bytes.indices { context.append(bytes[index]) }
    }
    let root = try kdf.extract(salt: sharedSecret.bytes, label: "secret", secret.bytes)
    key = try kdf.expand(root, label: "key", info: context.span, count: 16)
    let nonce = try kdf.expand(root, label: "base_nonce", info: context.span, count: AEADNonce.length)
    baseNonce = try AEADNonce(nonce.bytes)
    exporterSecret = try kdf.expand(root, label: "exp", info: context.span, count: 32)
  }

  /// A secret that belongs to this context and to `context` (section 5.3).
  func export(_ context: Span<UInt8>, count: Int) throws(CryptoError) -> SecretBytes {
    try LabeledKDF.hpke.expand(exporterSecret, label: "sec", info: context, count: count)
  }
}

/// The Diffie-Hellman KEM over X25519 (section 4.1).
enum HPKEKeyEncapsulation {
  /// The sender's half: what `ephemeral`, and `sender` where there is one, agree on with the recipient.
  static func sharedSecret(
    ephemeral: X25519.PrivateKey, sender: X25519.PrivateKey?, recipient: X25519.PublicKey
  ) throws(CryptoError) -> SecretBytes {
    try combine(
      ephemeral.sharedSecret(with: recipient), sender?.sharedSecret(with: recipient),
      context: ephemeral.publicKey.rawValue + recipient.rawValue + (sender?.publicKey.rawValue ?? []))
  }

  /// The recipient's half of the key encapsulation.
  static func sharedSecret(
    encapsulated: X25519.PublicKey, sender: X25519.PublicKey?, recipient: X25519.PrivateKey
  ) throws(CryptoError) -> SecretBytes {
    var second: SecretBytes?
    if let sender { second = try recipient.sharedSecret(with: sender) }
    return try combine(
      recipient.sharedSecret(with: encapsulated), second,
      context: encapsulated.rawValue + recipient.publicKey.rawValue + (sender?.rawValue ?? []))
  }

  private static func combine(
    _ first: SecretBytes, _ second: SecretBytes?, context: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    var agreed: [UInt8] = []
    agreed.reserveCapacity(2 * X25519.length)
    let bytes = first.bytes
    for index in bytes.indices { agreed.append(bytes[index]) }
    if let second {
      let bytes = second.bytes
      for index in bytes.indices { agreed.append(bytes[index]) }
    }
    let secret = SecretBytes(wiping: &agreed)
    let key = try LabeledKDF.kem.extract(salt: Span(), label: "eae_prk", secret.bytes)
    return try LabeledKDF.kem.expand(key, label: "shared_secret", info: context.span, count: 32)
  }
}
