extension HPKE {
  /// The sending end of a context. A reference, so that no copy can use a sequence number again.
  public final class Sender {
    /// The key from which the recipient sets up its end, ``HPKE/encapsulatedKeyLength`` bytes.
    public let encapsulatedKey: [UInt8]
    /// The number of the next message.
    public private(set) var sequence: UInt64 = 0
    private let schedule: HPKEKeySchedule
    private let cipher: AESGCM.Sealer

    /// A context for messages to the holder of `recipient`. `info` is what both ends must agree on.
    public convenience init(to recipient: X25519.PublicKey, info: Span<UInt8>, mode: SenderMode) throws(CryptoError) {
      try self.init(to: recipient, info: info, mode: mode, ephemeral: X25519.PrivateKey())
    }

    /// A context with a given ephemeral key, as published test vectors have it.
    init(
      to recipient: X25519.PublicKey, info: Span<UInt8>, mode: SenderMode, ephemeral: X25519.PrivateKey
    ) throws(CryptoError) {
      let number: UInt8
      let key: X25519.PrivateKey?
      let psk: PresharedKey?
      switch mode {
      case .base: (number, key, psk) = (0, nil, nil)
      case .psk(let secret): (number, key, psk) = (1, nil, secret)
      case .auth(let own): (number, key, psk) = (2, own, nil)
      case .authPSK(let own, let secret): (number, key, psk) = (3, own, secret)
      }
      let shared = try HPKEKeyEncapsulation.sharedSecret(ephemeral: ephemeral, sender: key, recipient: recipient)
      schedule = try HPKEKeySchedule(mode: number, sharedSecret: shared, info: info, psk: psk)
      cipher = try AESGCM.Sealer(key: schedule.key)
      encapsulatedKey = ephemeral.publicKey.rawValue
    }

    /// Ciphertext and tag of the message of number ``sequence``.
    public func seal(_ plaintext: Span<UInt8>, authenticating aad: Span<UInt8>) throws(CryptoError) -> [UInt8] {
      guard sequence < .max else { throw .sequenceExhausted }
      var sealed: [UInt8] = []
      sealed.reserveCapacity(plaintext.count + AESGCM.tagLength)
      // Even a failure uses the number up.
      let number = sequence
      sequence += 1
      try cipher.seal(
        plaintext, nonce: schedule.baseNonce.numbered(number), authenticating: aad, appendingTo: &sealed)
      return sealed
    }

    /// A secret that the recipient can export as well.
    public func export(_ context: Span<UInt8>, count: Int) throws(CryptoError) -> SecretBytes {
      try schedule.export(context, count: count)
    }

    /// Goes on at a later number, as published test vectors do.
    func skip(to number: UInt64) { sequence = max(sequence, number) }
  }

  /// The receiving end of a context.
  public final class Recipient {
    /// The lowest number that a message may have.
    public private(set) var sequence: UInt64 = 0
    private let schedule: HPKEKeySchedule
    private let cipher: AESGCM.Opener

    /// The context that a sender has set up for `key`.
    public init(
      encapsulatedKey: [UInt8], key: X25519.PrivateKey, info: Span<UInt8>, mode: RecipientMode
    ) throws(CryptoError) {
      let number: UInt8
      let sender: X25519.PublicKey?
      let psk: PresharedKey?
      switch mode {
      case .base: (number, sender, psk) = (0, nil, nil)
      case .psk(let secret): (number, sender, psk) = (1, nil, secret)
      case .auth(let other): (number, sender, psk) = (2, other, nil)
      case .authPSK(let other, let secret): (number, sender, psk) = (3, other, secret)
      }
      let shared = try HPKEKeyEncapsulation.sharedSecret(
        encapsulated: X25519.PublicKey(encapsulatedKey), sender: sender, recipient: key)
      schedule = try HPKEKeySchedule(mode: number, sharedSecret: shared, info: info, psk: psk)
      cipher = try AESGCM.Opener(key: schedule.key)
    }

    /// The message of number ``sequence``.
    public func open(_ sealed: Span<UInt8>, authenticating aad: Span<UInt8>) throws(CryptoError) -> [UInt8] {
      try open(sealed, number: sequence, authenticating: aad)
    }

    /// A message that says its own number, where others may have been lost on the way. Numbers only rise, so nothing
    /// opens twice.
    ///
    /// - Throws: ``CryptoError/sequenceExhausted`` when the number is below ``sequence``.
    public func open(
      _ sealed: Span<UInt8>, number: UInt64, authenticating aad: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
      guard number >= sequence, number < .max else { throw .sequenceExhausted }
      var plaintext: [UInt8] = []
      try cipher.open(
        sealed, nonce: schedule.baseNonce.numbered(number), authenticating: aad, appendingTo: &plaintext)
      sequence = number + 1
      return plaintext
    }

    /// A secret that the sender can export as well.
    public func export(_ context: Span<UInt8>, count: Int) throws(CryptoError) -> SecretBytes {
      try schedule.export(context, count: count)
    }
  }
}
