import Crypto
import TestVectors
import Testing

@testable import Encryption

struct SFrameVectors: Decodable {
  struct CounterMode: Decodable {
    let cipher_suite: Int
    let key: Hex
    let nonce: Hex
    let aad: Hex
    let pt: Hex
    let ct: Hex
  }

  struct Frame: Decodable {
    let cipher_suite: UInt16
    let kid: UInt64
    let ctr: UInt64
    let base_key: Hex
    let sframe_key_label: Hex
    let sframe_salt_label: Hex
    let sframe_key: Hex
    let sframe_salt: Hex
    let metadata: Hex
    let nonce: Hex
    let pt: Hex
    let ct: Hex
  }

  let header: [SFrameHeaderTests.Header]
  let aes_ctr_hmac: [CounterMode]
  let aes_256_ctr_hmac: [CounterMode]
  let sframe: [Frame]
}

@Suite("SFrame vectors")
struct SFrameVectorTests {
  @Test("counter mode with HMAC agrees with the vectors of suites 1 to 3 and 6 to 8")
  func counterMode() throws {
    let tags = [1: 10, 2: 8, 3: 4, 6: 10, 7: 8, 8: 4]
    let all = try vectors(SFrameVectors.self, "sframe.json")
    let cases = all.aes_ctr_hmac + all.aes_256_ctr_hmac
    #expect(cases.map(\.cipher_suite) == [1, 2, 3, 6, 7, 8])
    for each in cases {
      let cipher = try AESCTRHMAC(
        key: SecretBytes(each.key.bytes.span), tagLength: #require(tags[each.cipher_suite]),
        using: each.cipher_suite < 6 ? .sha256 : .sha512)
      let nonce = try AEADNonce(each.nonce.bytes.span)
      var sealed: [UInt8] = []
      try cipher.seal(each.pt.bytes.span, nonce: nonce, authenticating: each.aad.bytes.span, appendingTo: &sealed)
      #expect(sealed == each.ct.bytes, "suite \(each.cipher_suite)")
      var opened: [UInt8] = []
      try cipher.open(sealed.span, nonce: nonce, authenticating: each.aad.bytes.span, appendingTo: &opened)
      #expect(opened == each.pt.bytes)
      for index in sealed.indices {
        sealed[index] ^= 4
        #expect(throws: CryptoError.authenticationFailed) {
          try cipher.open(sealed.span, nonce: nonce, authenticating: each.aad.bytes.span, appendingTo: &opened)
        }
        sealed[index] ^= 4
      }
    }
  }

  @Test("bad input 1: all five suites agree with RFC 9605 appendix C.3, keys to frames")
  func frames() throws {
    let frames = try vectors(SFrameVectors.self, "sframe.json").sframe
    #expect(frames.map(\.cipher_suite) == SFrameSuite.allCases.map(\.rawValue))
    for each in frames {
      let suite = try #require(SFrameSuite(rawValue: each.cipher_suite))
      #expect(SFrameKeys.label("SFrame 1.0 Secret key ", each.kid, suite) == each.sframe_key_label.bytes)
      #expect(SFrameKeys.label("SFrame 1.0 Secret salt ", each.kid, suite) == each.sframe_salt_label.bytes)
      let baseKey = SecretBytes(each.base_key.bytes.span)
      let keys = try SFrameKeys(baseKey: baseKey, keyID: each.kid, suite: suite)
      #expect(keys.key.unprotectedCopy() == each.sframe_key.bytes)
      let nonce = keys.salt.numbered(each.ctr).bytes
      #expect(nonce.indices.map { nonce[$0] } == each.nonce.bytes)
      let sealer = try SFrameSealer(baseKey: baseKey, keyID: each.kid, suite: suite, firstCounter: each.ctr)
      var sealed: [UInt8] = [1]
      try sealer.seal(each.pt.bytes.span, metadata: each.metadata.bytes.span, appendingTo: &sealed)
      #expect(Array(sealed.dropFirst()) == each.ct.bytes, "suite \(suite)")
      let opener = try SFrameOpener(baseKey: baseKey, keyID: each.kid, suite: suite)
      var opened: [UInt8] = [2]
      try opener.open(each.ct.bytes.span, metadata: each.metadata.bytes.span, appendingTo: &opened)
      #expect(Array(opened.dropFirst()) == each.pt.bytes)
    }
  }
}
