import RTC
import TestSeeds
import Testing

@Suite("Certificate fingerprint (RFC 8122)", .tellsSeeds)
struct FingerprintTests {
  @Test("text round-trips; case does not matter when parsing", arguments: Fingerprint.Algorithm.allCases)
  func roundTrip(algorithm: Fingerprint.Algorithm) throws {
    var random = SeededRandom(seed: TestSeed.of(3))
    let fingerprint = try #require(Fingerprint(algorithm: algorithm, bytes: random.bytes(algorithm.length)))
    #expect(try Fingerprint(sdp: fingerprint.sdp) == fingerprint)
    #expect(try Fingerprint(sdp: fingerprint.sdp.lowercased()) == fingerprint)
    #expect(try Fingerprint(sdp: fingerprint.sdp.uppercased()) == fingerprint)
    #expect(fingerprint.sdp.hasPrefix(algorithm.rawValue + " "))
  }

  @Test("a text that isn't a fingerprint is refused")
  func refused() {
    let good = (0..<32).map { _ in "AB" }
    func parse(_ text: String) -> Fingerprint.ParseError? {
      do throws(Fingerprint.ParseError) {
        _ = try Fingerprint(sdp: text)
        return nil
      } catch {
        return error
      }
    }
    #expect(parse("sha-256 " + good.joined(separator: ":")) == nil)
    #expect(parse("sha-1 " + good.prefix(20).joined(separator: ":")) == .unsupportedAlgorithm)
    #expect(parse("md5 " + good.prefix(16).joined(separator: ":")) == .unsupportedAlgorithm)
    #expect(parse("sha-256 " + good.dropLast().joined(separator: ":")) == .wrongLength(expected: 32, found: 31))
    #expect(parse("sha-256 " + (good + ["00"]).joined(separator: ":")) == .wrongLength(expected: 32, found: 33))
    #expect(parse("sha-256  " + good.joined(separator: ":")) == .malformed)
    #expect(parse("sha-256 " + good.joined()) == .malformed)
    #expect(parse("sha-256 " + good.joined(separator: ":") + ":") == .malformed)
    #expect(parse("sha-256 G" + good.joined(separator: ":").dropFirst()) == .malformed)
    #expect(parse("sha-256 +1:" + good.dropFirst().joined(separator: ":")) == .malformed)
    #expect(parse("") == .malformed)
    #expect(parse("sha-256") == .malformed)
    #expect(parse(String(repeating: "a", count: 100_000)) == .malformed)
  }

  @Test("fingerprints differ when any bit differs")
  func compares() throws {
    let bytes = [UInt8](repeating: 0, count: 32)
    let zero = try #require(Fingerprint(algorithm: .sha256, bytes: bytes))
    for bit in 0..<256 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try #require(Fingerprint(algorithm: .sha256, bytes: other)) != zero)
    }
    #expect(Fingerprint(algorithm: .sha256, bytes: [1, 2]) == nil)
  }

  @Test("two certificates differ in key, serial number and fingerprint")
  func certificates() throws {
    let a = try DTLSCertificate.selfSigned(unixTime: 1_800_000_000)
    let b = try DTLSCertificate.selfSigned(unixTime: 1_800_000_000)
    #expect(a.der != b.der)
    #expect(a.fingerprint != b.fingerprint)
    #expect(a.fingerprint == Fingerprint(algorithm: .sha256, certificate: a.der))
    #expect(a.fingerprint.algorithm == .sha256)
  }
}
