import Testing

@testable import RTC

/// Hex text to bytes; blanks are skipped.
func hex(_ text: String) -> [UInt8] {
  let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

@Suite("SRTP against published vectors")
struct SRTPVectorTests {
  @Test("AES-CM keystream (RFC 3711 appendix B.2)")
  func keystream() throws {
    let key = hex("2B7E151628AED2A6ABF7158809CF4F3C")
    let start = hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000")
    let stream = try SRTPKeyDerivation.keystream(key: key, counter: start, length: 16 * 0xFF02)
    func block(_ number: Int) -> [UInt8] { Array(stream[(number * 16)..<(number * 16 + 16)]) }
    #expect(block(0) == hex("E03EAD0935C95E80E166B16DD92B4EB4"))
    #expect(block(1) == hex("D23513162B02D0F72A43A2FE4A5F97AB"))
    #expect(block(2) == hex("41E95B3BB0A2E8DD477901E4FCA894C0"))
    #expect(block(0xFEFF) == hex("EC8CDF7398607CB0F2D21675EA9EA1E4"))
    #expect(block(0xFF00) == hex("362B7C3C6773516318A077D7FC5073AE"))
    #expect(block(0xFF01) == hex("6A2CC3787889374FBEB4C81B17BA6C44"))
  }

  static let master = SRTPMasterKey(
    key: hex("E1F97A0D3E018BE0D64FA32C06DE4139"), salt: hex("0EC675AD498AFEEBB6960B3AABE6"))

  @Test("key derivation (RFC 3711 appendix B.3)")
  func derivation() throws {
    let keys = try SRTPKeyDerivation.sessionKeys(
      profile: .aes128CMHMACSHA1_80, master: Self.master, isRTCP: false)
    #expect(keys.encryption == hex("C61E7A93744F39EE10734AFE3FF7A087"))
    #expect(keys.salt == hex("30CBBC08863D8C85D49DB34A9AE1"))
    #expect(keys.authentication == hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    let long = try SRTPKeyDerivation.derive(
      key: Self.master.key.value, salt: Self.master.salt.value, label: 1, length: 94)
    #expect(
      long
        == hex(
          """
          CEBE321F6FF7716B6FD4AB49AF256A156D38BAA48F0A0ACF3C34E2359E6CDBCEE049646C43D9327AD175578EF7227098
          6371C10C9A369AC2F94A8C5FBCDDDC256D6E919A48B610EF17C2041E474035766B68642C59BBFC2F34DB60DBDFB2
          """))
  }

  @Test("keying material of the wrong length is refused", arguments: DTLSContext.defaultProfiles)
  func wrongLengths(profile: SRTPProfile) {
    for (key, salt) in [(0, 0), (16, 13), (15, 14), (32, 14), (16, 11), (24, 12)] {
      let master = SRTPMasterKey(
        key: [UInt8](repeating: 0, count: key), salt: [UInt8](repeating: 0, count: salt))
      let material = SRTPKeyingMaterial(profile: profile, local: master, remote: master)
      #expect(throws: SRTPError.self) { try SRTPSender(material) }
      #expect(throws: SRTPError.self) { try SRTPReceiver(material) }
    }
  }

  static let gallia = hex(
    "8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074726573")
  static let mars = hex(
    """
    81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61
    deadbeefdeadbeefdeadbeefdeadbeefdeadbeef
    """)

  private static func ends(
    _ profile: SRTPProfile, keyLength: Int
  ) throws -> (SRTPSender, SRTPReceiver) {
    let keys = SRTPSessionKeys(
      encryption: (0..<keyLength).map { UInt8($0) }, authentication: [], salt: hex("517569642070726f2071756f"))
    return (
      try SRTPSender(profile: profile, rtpKeys: keys, rtcpKeys: keys, firstRTCPIndex: 0x5D4),
      try SRTPReceiver(profile: profile, rtpKeys: keys, rtcpKeys: keys)
    )
  }

  @Test(
    "SRTP with AES-GCM (RFC 7714 sections 16.1 and 16.2)",
    arguments: [
      (
        SRTPProfile.aeadAES128GCM, 16,
        """
        8040f17b8041f8d35501a0b2f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833
        899d7f27beb16a9152cf765ee4390cce
        """
      ),
      (
        .aeadAES256GCM, 32,
        """
        8040f17b8041f8d35501a0b232b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b
        7aa3db36dfffd6b0f9bb7878d7a76c13
        """
      ),
    ])
  func gcmRTP(profile: SRTPProfile, keyLength: Int, expected: String) throws {
    let (sender, receiver) = try Self.ends(profile, keyLength: keyLength)
    var packet = try sender.protect(Self.gallia)
    #expect(packet == hex(expected))
    #expect(try receiver.unprotect(&packet) == Self.gallia)
  }

  @Test(
    "SRTCP with AES-GCM (RFC 7714 sections 17.1 and 17.2)",
    arguments: [
      (
        SRTPProfile.aeadAES128GCM, 16,
        """
        81c8000d4d61727363e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303ded
        0bb9275bc84aa45896cf4d2fc5abf87245d9eade800005d4
        """
      ),
      (
        .aeadAES256GCM, 32,
        """
        81c8000d4d617273d50ae4d1f5ce5d304ba297e47d470c282c3ece5dbffe0a50a2eaa5c1110555be8415f658c61de047
        6f1b6fad1d1eb30c4446839f57ff6f6cb26ac3be800005d4
        """
      ),
    ])
  func gcmRTCP(profile: SRTPProfile, keyLength: Int, expected: String) throws {
    let (sender, receiver) = try Self.ends(profile, keyLength: keyLength)
    var packet = try sender.protectRTCP(Self.mars)
    #expect(packet == hex(expected))
    #expect(try receiver.unprotectRTCP(&packet) == Self.mars)
  }

  @Test("SRTCP that is authentic but not encrypted (RFC 7714 section 17.3) is refused")
  func tagOnly() throws {
    let (_, receiver) = try Self.ends(.aeadAES128GCM, keyLength: 16)
    var packet = Self.mars + hex("841dd9683dd78ec92ae58790125f62b3000005d4")
    #expect(throws: SRTPError.notEncrypted) { try receiver.unprotectRTCP(&packet) }
  }

  /// Made with the most widely used implementation and the key of RFC 3711 appendix B.3.
  @Test("AES-CM with HMAC-SHA1-80 gives the bytes other implementations give")
  func counterMode() throws {
    let material = SRTPKeyingMaterial(profile: .aes128CMHMACSHA1_80, local: Self.master, remote: Self.master)
    let sender = try SRTPSender(material)
    let receiver = try SRTPReceiver(material)
    let plain = hex("800f1234decafbadcafebabe") + [UInt8](repeating: 0xAB, count: 16)
    var packet = try sender.protect(plain)
    #expect(packet == hex("800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb"))
    #expect(try receiver.unprotect(&packet) == plain)

    let report = hex("81c8000bcafebabe") + [UInt8](repeating: 0xAB, count: 16)
    var control = try sender.protectRTCP(report)
    #expect(control == hex("81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798"))
    #expect(try receiver.unprotectRTCP(&control) == report)
  }
}
