import Basics
import Foundation
import TestTenants
import Testing

@testable import Meetings

@Suite("Join tokens")
struct JoinAuthorityTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)

  /// A store with a tenant, a meeting and the authority over them.
  private struct World {
    let folder = TemporaryFolder()
    let store: SQLiteMeetingStore
    let authority: JoinAuthority
    let tenant: Tenant
    let meeting: MeetingRecord
    let key: SigningKey

    init(now: Date) async throws {
      store = try await SQLiteMeetingStore.open(folder: folder.path)
      authority = JoinAuthority(store: store)
      tenant = try await TestTenants.makeDefault(in: store, now: now)
      meeting = MeetingRecord(
        tenant: tenant.id, room: .random(), kind: .adHoc, subject: "s", created: now, expires: now + 28_800)
      try await store.insert(meeting)
      key = try SigningKey(privateJWK: tenant.signingKey, keyID: tenant.signingKeyID)
    }

    func token(now: Date) -> JoinToken {
      JoinToken(
        tenant: tenant.id, target: .meeting(meeting.id), role: .publisher, name: "Ann",
        allowedOrigins: WebOrigin.list("https://app.example.com/path; http://localhost/") ?? [], notBefore: now,
        expires: now + 3_600,
        service: .init(
          applicationSession: "app", organizer: "sip:o@h", endpoint: "sip:e@h", conference: "sip:c@h",
          applications: "http://h/ucwa"))
    }

    func admit(_ text: String, origin: String? = nil, now: Date) async throws -> Admission {
      try await authority.admit(
        token: Secret(text), origin: origin, ownOrigin: WebOrigin("http://parley.example:8080"), now: now)
    }
  }

  private func base64(_ text: String) -> String { base64(Data(text.utf8)) }
  private func base64(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
  private func payload(of token: String) -> String { String(token.split(separator: ".")[1]) }

  @Test("a token that was signed is admitted with everything it says, and never printed")
  func roundTrip() async throws {
    let world = try await World(now: now)
    let token = world.token(now: now)
    let text = try world.authority.sign(token, tenant: world.tenant)
    #expect(text.value.hasPrefix("psat=ey"))
    #expect("\(text)" == "<redacted>")
    let admission = try await world.admit(text.value, now: now)
    #expect(admission.meeting == world.meeting)
    #expect(admission.tenant == world.tenant)
    let grant = admission.grant
    #expect(grant.form == .signed && grant.id == token.id && grant.target == token.target)
    #expect(grant.role == .publisher && grant.permissions == [.publish, .subscribe, .chat, .data])
    #expect(grant.name == "Ann" && grant.allowedOrigins == token.allowedOrigins && grant.expires == token.expires)
    // Without the prefix too: the address of a page carries a bare JWT.
    #expect(try await world.admit(String(text.value.dropFirst(5)), now: now).grant == grant)
  }

  @Test("the token's header and claims are those of the reference")
  func claims() async throws {
    let world = try await World(now: now)
    let text = try world.authority.sign(world.token(now: now), tenant: world.tenant).value
    let parts = text.dropFirst(5).split(separator: ".").map { part -> [String: Any] in
      var base = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
      while base.count % 4 != 0 { base += "=" }
      let data = Data(base64Encoded: base) ?? Data()
      return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }
    #expect(parts[0]["alg"] as? String == "RS256")
    #expect(parts[0]["typ"] as? String == "JWT")
    for claim in ["nbf", "exp", "ruu", "asi", "aeu", "ao", "confid", "ucwaext"] { #expect(parts[1][claim] != nil) }
    #expect(parts[1]["exp"] as? Int == 1_795_255_200)
    #expect(parts[1]["ao"] as? String == "https://app.example.com;http://localhost")
  }

  @Test("threat 24: algorithm none and HS256 keyed with the public key are refused")
  func algorithmConfusion() async throws {
    let world = try await World(now: now)
    let text = try world.authority.sign(world.token(now: now), tenant: world.tenant).value
    let body = payload(of: text)
    let keyID = world.tenant.signingKeyID
    for signature in ["", "AAAA", String(text.split(separator: ".")[2])] {
      for algorithm in ["none", "None", "HS256", "RS512", "PS256", "ES256", ""] {
        let forged = base64(#"{"alg":"\#(algorithm)","typ":"JWT","kid":"\#(keyID)"}"#) + "." + body + "." + signature
        await #expect(throws: JoinRefusal.badToken) { try await world.admit("psat=" + forged, now: now) }
      }
    }
    // A real HS256 signature made with the public key as the secret, in the two spellings attackers use.
    let publicKey = try world.key.publicJWK()
    let input = base64(#"{"alg":"HS256","typ":"JWT","kid":"\#(keyID)"}"#) + "." + body
    let forged = input + "." + base64(Data(HMAC.sha256(key: Array(publicKey.utf8), Array(input.utf8))))
    await #expect(throws: JoinRefusal.badToken) { try await world.admit("psat=" + forged, now: now) }
  }

  @Test("threat 24: a token without exp, of another key or tenant, or changed is refused")
  func forged() async throws {
    let world = try await World(now: now)
    let text = try world.authority.sign(world.token(now: now), tenant: world.tenant).value
    // Signed by the right key, but without an end.
    let endless = try world.key.sign(Array(#"{"nbf":0,"iss":"\#(world.tenant.id)","jti":"x"}"#.utf8))
    await #expect(throws: JoinRefusal.badToken) { try await world.admit("psat=" + endless, now: now) }
    let stranger = try SigningKey.generate(keyID: world.tenant.signingKeyID)
    let other = try world.token(now: now).signed(with: stranger).value
    await #expect(throws: JoinRefusal.badToken) { try await world.admit(other, now: now) }
    var foreign = world.token(now: now)
    foreign.tenant = .random()
    let foreignText = try foreign.signed(with: world.key).value
    await #expect(throws: JoinRefusal.badToken) { try await world.admit(foreignText, now: now) }
    for index in stride(from: 5, to: text.utf8.count, by: 7) {
      var bytes = Array(text.utf8)
      bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let changed = String(decoding: bytes, as: UTF8.self)
      await #expect(throws: JoinRefusal.badToken) { try await world.admit(changed, now: now) }
    }
    for garbage in ["", "psat=", "psat=a.b.c", ".", "...", "psat=\u{0}"] {
      await #expect(throws: JoinRefusal.badToken) { try await world.admit(garbage, now: now) }
    }
    let long = String(repeating: "e", count: 100_000)
    for text in [long, "psat=\(long)"] {
      await #expect(throws: JoinRefusal.tokenTooLarge) { try await world.admit(text, now: now) }
    }
  }

  @Test("threat 24: a token opens one meeting, ends in time, and ends when revoked")
  func bounds() async throws {
    let world = try await World(now: now)
    let token = world.token(now: now)
    let text = try world.authority.sign(token, tenant: world.tenant).value
    #expect(try await world.admit(text, now: now + 3_599).meeting.id == world.meeting.id)
    await #expect(throws: JoinRefusal.tokenExpired) { try await world.admit(text, now: now + 3_600) }
    await #expect(throws: JoinRefusal.badToken) { try await world.admit(text, now: now - 3_600) }
    var long = token
    long.expires = now + 100_000
    let longText = try world.authority.sign(long, tenant: world.tenant).value
    await #expect(throws: JoinRefusal.meetingExpired) { try await world.admit(longText, now: now + 28_800) }
    var lost = token
    lost.target = .meeting(.random())
    let lostText = try world.authority.sign(lost, tenant: world.tenant).value
    await #expect(throws: JoinRefusal.noSuchMeeting) { try await world.admit(lostText, now: now) }
    let grant = try await world.admit(text, now: now).grant
    try await world.authority.revoke(grant)
    await #expect(throws: JoinRefusal.badToken) { try await world.admit(text, now: now) }
  }

  @Test("a good token for another room is refused with both names, a bad one without")
  func rooms() async throws {
    let world = try await World(now: now)
    let text = Secret(try world.authority.sign(world.token(now: now), tenant: world.tenant).value)
    let (own, other) = (world.meeting.room, try RoomName("Elsewhere"))
    func admit(_ token: Secret<String>, _ room: RoomName?) async throws(JoinRefusal) -> Admission {
      try await world.authority.admit(token: token, room: room, origin: nil, ownOrigin: nil, now: now)
    }
    #expect(try await admit(text, nil).meeting.room == own)
    #expect(try await admit(text, RoomName(own.display.uppercased())).meeting.room == own)
    let refusal = JoinRefusal.wrongMeeting(token: own.display, address: "Elsewhere")
    await #expect(throws: refusal) { try await admit(text, other) }
    #expect(refusal.description.contains(own.display) && refusal.description.contains("Elsewhere"))
    await #expect(throws: JoinRefusal.badToken) { try await admit(Secret("psat=a.b.c"), other) }
  }

  @Test("threat 28: a foreign origin's page can't use a token; own and allowed ones can")
  func origins() async throws {
    let world = try await World(now: now)
    let text = try world.authority.sign(world.token(now: now), tenant: world.tenant).value
    for origin in [
      "https://app.example.com", "HTTPS://APP.example.com:443", "http://localhost", "http://parley.example:8080",
    ] {
      #expect(try await world.admit(text, origin: origin, now: now).grant.name == "Ann")
    }
    for origin in [
      "https://evil.example", "http://app.example.com", "https://app.example.com:444", "null", "",
      "https://app.example.com.evil.example", "https://evil.example/https://app.example.com", "file://",
    ] {
      await #expect(throws: JoinRefusal.wrongOrigin) { try await world.admit(text, origin: origin, now: now) }
    }
  }
}

/// HMAC-SHA256 for forging, written out so that the tests need no library.
private enum HMAC {
  static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var block = key.count > 64 ? SHA256.hash(key) : key
    block += [UInt8](repeating: 0, count: 64 - block.count)
    return SHA256.hash(block.map { $0 ^ 0x5C } + SHA256.hash(block.map { $0 ^ 0x36 } + message))
  }
}

private enum SHA256 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    // FIPS 180-4; the constants are the fractional parts of roots of primes, computed here.
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < 64 {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    func fraction(_ value: Double) -> UInt32 {
      UInt32(truncatingIfNeeded: Int64((value - value.rounded(.down)) * 4_294_967_296))
    }
    let k = primes.map { fraction(cbrt(Double($0))) }
    var h = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    var data = message + [0x80]
    while data.count % 64 != 56 { data.append(0) }
    data += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
    func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { x >> n | x << (32 - n) }
    for start in stride(from: 0, to: data.count, by: 64) {
      var w = (0..<16).map { i in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(data[start + i * 4 + $1]) } }
      for i in 16..<64 {
        let s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3
        let s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10
        w.append(w[i - 16] &+ s0 &+ w[i - 7] &+ s1)
      }
      var v = h
      for i in 0..<64 {
        let s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
        let t1 = v[7] &+ s1 &+ (v[4] & v[5] ^ ~v[4] & v[6]) &+ k[i] &+ w[i]
        let s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
        let t2 = s0 &+ (v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2])
        v = [t1 &+ t2, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
      }
      for i in 0..<8 { h[i] = h[i] &+ v[i] }
    }
    return h.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }
}
