import Basics
import Foundation
import Meetings
import Signaling
import Synchronization
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("Passcodes of meetings", .serialized)
struct PasscodeTests {
  @Test("threat 25: without the passcode a guest is only refused; it is in no log")
  func asked() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", passcode: "Grüße 42")
      for (passcode, code) in [
        (nil, SignalingErrorCode.passcodeRequired), ("", .passcodeRequired), ("grüße 42", .wrongPasscode),
        ("Grüße 43", .wrongPasscode), (String(repeating: "x", count: 100_000), .wrongPasscode),
      ] as [(String?, SignalingErrorCode)] {
        let (client, answer) = try await server.knock("board", "Eve", offer: "send:1", passcode: passcode)
        guard case .error(code, _, true, _) = answer else { throw Unexpected(answer) }
        #expect(try await client.next() == nil)
      }
      #expect(await server.media.calls.isEmpty)
      // With blanks around it, and with the accents of another keyboard.
      for passcode in ["Grüße 42", "  Gru\u{308}ße 42\n"] {
        let (client, answer) = try await server.knock("board", "Bob", passcode: passcode)
        guard case .welcome = answer else { throw Unexpected(answer) }
        await client.close()
      }
      let (ann, _) = try await server.join(
        "board", "Ann", token: try await server.token("board", #","role":"moderator""#))
      await ann.close()
      for part in ["Grü", "grü", "Gru\u{308}"] { #expect(!server.logged.text.contains(part)) }
      let stored = try Data(contentsOf: URL(fileURLWithPath: server.folder + "/data/parley.sqlite"))
      let log = (try? Data(contentsOf: URL(fileURLWithPath: server.folder + "/data/parley.sqlite-wal"))) ?? Data()
      for data in [stored, log] { #expect(data.range(of: Data("Grüße".utf8)) == nil) }
    }
  }

  @Test("a passcode admits to the lobby, not to the meeting")
  func lobby() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked, passcode: "1234")
      let (eve, answer) = try await server.knock("board", "Eve", passcode: "1234")
      #expect(answer == .waiting(reason: .lobby, seconds: 1_800))
      await eve.close()
    }
  }

  /// That of 1234, made with Python's hashlib.scrypt and a cost that suits tests.
  private static let hash = PasscodeHash(
    stored: "scrypt$10$8$1$AAECAwQFBgcICQoLDA0ODw==$EftIuBXfkH3o12YqBV3sXt6DhnoiH6Zqz+tnNs0dWm8=")

  /// A clock that tests move.
  private final class TestClock: Sendable {
    private let time = Mutex(Instant(nanoseconds: 0))
    var now: Instant { time.withLock { $0 } }
    func advance(_ span: TimeSpan) { time.withLock { $0 = $0 + span } }
  }

  private func admission(_ hash: PasscodeHash, _ role: Role = .publisher) throws -> Admission {
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let record = MeetingRecord(
      tenant: tenant.id, room: .random(), kind: .named, subject: "", created: Date(), passcode: hash)
    return Admission(
      meeting: record, tenant: tenant,
      grant: JoinGrant(
        form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: role, expires: .distantFuture))
  }

  @Test(
    "threat 25: ten wrong passcodes block their address for ten minutes, no other"
  )
  func guessing() async throws {
    let clock = TestClock()
    let passcodes = PasscodeGuard(limits: .init(wrong: 10, window: .seconds(600), queue: 64), now: { clock.now })
    let hash = Self.hash
    let (here, other) = (try admission(hash), try admission(hash))
    func code(_ passcode: String?, _ admission: Admission, _ address: String) async throws -> SignalingErrorCode? {
      await passcodes.refusal(of: passcode, for: admission, from: try #require(IPAddress(address)))?.code
    }
    // Right ones, and none at all, do not count.
    for _ in 0..<12 {
      #expect(try await code("1234", here, "192.0.2.1") == nil)
      #expect(try await code(nil, here, "192.0.2.1") == .passcodeRequired)
    }
    for _ in 0..<10 { #expect(try await code("4321", here, "192.0.2.1") == .wrongPasscode) }
    #expect(try await code("1234", here, "192.0.2.1") == .passcodeBlocked)
    #expect(try await code("1234", here, "192.0.2.2") == nil)
    #expect(try await code("1234", other, "192.0.2.1") == nil)
    #expect(try await code("4321", try admission(hash, .moderator), "192.0.2.1") == nil, "a host")
    clock.advance(.seconds(599))
    #expect(try await code("1234", here, "192.0.2.1") == .passcodeBlocked)
    clock.advance(.seconds(1))
    #expect(try await code("1234", here, "192.0.2.1") == nil)
    // One customer of a provider has as many addresses as they like.
    for host in 1...10 { #expect(try await code("4321", here, "2001:db8::\(host)") == .wrongPasscode) }
    #expect(try await code("1234", here, "2001:db8::ffff") == .passcodeBlocked)
    #expect(try await code("1234", here, "2001:db8:0:1::1") == nil)
  }

  @Test(
    "threat 25: a guesser locks out nobody else; many addresses are stopped together"
  )
  func manyAddresses() async throws {
    let clock = TestClock()
    let passcodes = PasscodeGuard(
      limits: .init(wrong: 3, wrongInMeeting: 10, window: .seconds(600), queue: 64), now: { clock.now })
    let (here, other) = (try admission(Self.hash), try admission(Self.hash))
    func code(_ passcode: String, _ host: UInt32, _ admission: Admission) async -> SignalingErrorCode? {
      await passcodes.refusal(of: passcode, for: admission, from: IPAddress(v4: 0xC000_0200 + host))?.code
    }
    for _ in 0..<20 { _ = await code("4321", 1, here) }
    #expect(await code("1234", 1, here) == .passcodeBlocked)
    // A code that was refused without a look isn't counted.
    #expect(await code("1234", 2, here) == nil)
    for host in UInt32(2)...4 { for _ in 0..<3 { _ = await code("4321", host, here) } }
    #expect(await code("1234", 5, here) == .passcodeBlocked)
    #expect(await code("1234", 5, other) == nil)
    clock.advance(.seconds(600))
    #expect(await code("1234", 5, here) == nil)
  }

  @Test(
    "threat 25: a provider's networks together have bounded guesses, others get in",
    arguments: [true, false])
  func oneProvider(isIPv4: Bool) async throws {
    let clock = TestClock()
    let passcodes = PasscodeGuard(
      limits: .init(wrong: 3, wrongInSite: 6, wrongInProvider: 12, wrongInMeeting: 100), now: { clock.now })
    let here = try admission(Self.hash)
    func code(_ passcode: String, _ network: String) async throws -> SignalingErrorCode? {
      await passcodes.refusal(of: passcode, for: here, from: try #require(IPAddress(network)))?.code
    }
    func address(_ provider: Int, _ site: Int, _ network: Int) -> String {
      isIPv4
        ? "198.\(18 + provider).\(site).\(network)"
        : "2001:\(String(0xdb0 + provider, radix: 16)):\(String(site, radix: 16)):\(network)::1"
    }
    var looked = 0
    for site in 1...20 {
      var ofSite = 0
      for network in 1...10 {
        for _ in 0..<4 where try await code("4321", address(0, site, network)) == .wrongPasscode { ofSite += 1 }
      }
      #expect(ofSite == (site <= 2 ? 6 : 0), "of site \(site)")
      looked += ofSite
    }
    #expect(looked == 12)
    #expect(try await code("1234", address(0, 30, 1)) == .passcodeBlocked)
    #expect(try await code("1234", address(1, 1, 1)) == nil)
    // However many providers, all together are bounded too.
    for provider in 1...20 {
      for network in 1...4 {
        for _ in 0..<3 where try await code("4321", address(provider, network, 1)) == .wrongPasscode { looked += 1 }
      }
    }
    #expect(looked == 100)
    clock.advance(.seconds(600))
    #expect(try await code("1234", address(0, 30, 1)) == nil)
  }

  /// Counts how many run at the same time.
  private final class Crowd: Sendable {
    private let state = Mutex((now: 0, most: 0, all: 0))
    var most: Int { state.withLock { $0.most } }
    var all: Int { state.withLock { $0.all } }

    func pass() {
      state.withLock {
        $0.now += 1
        $0.all += 1
        $0.most = max($0.most, $0.now)
      }
      // Some work, as hashing is, so that others could come in between.
      let end = ContinuousClock.now + .milliseconds(3)
      while ContinuousClock.now < end {}
      state.withLock { $0.now -= 1 }
    }
  }

  @Test("threat 32: one passcode is hashed at a time, from wherever and however many")
  func flood() async throws {
    let crowd = Crowd()
    let passcodes = PasscodeGuard(
      limits: .init(wrong: 1_000, wrongInSite: 1_000, wrongInProvider: 1_000, wrongInMeeting: 1_000, queue: 24),
      hashing: .init(
        matches: { _, _ in
          crowd.pass()
          return false
        },
        make: { _ in
          crowd.pass()
          return .success(Self.hash)
        }))
    let admissions = try (0..<4).map { _ in try admission(Self.hash) }
    let outcomes = await withTaskGroup(of: String.self) { group in
      for index in 0..<120 {
        group.addTask {
          guard index % 3 > 0 else {
            do throws(Refusal) {
              return try await passcodes.hash("1234", from: IPAddress(v4: 0xC612_0000 + UInt32(index))) == Self.hash
                ? "hashed" : "another"
            } catch {
              return error.code
            }
          }
          let address = IPAddress(v4: 0xC000_0200 + UInt32(index))
          return await passcodes.refusal(of: "4321", for: admissions[index % 4], from: address)?.code.rawValue ?? "none"
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(crowd.most == 1)
    #expect(outcomes.count { $0 != "tooFast" } == crowd.all && crowd.all >= 1)
    #expect(Set(outcomes).isSubset(of: ["hashed", "wrongPasscode", "tooFast"]), "\(Set(outcomes))")
  }

  @Test("threat 32: one network's passcode flood delays others by a turn or two")
  func fairness() async throws {
    let order = Mutex<[String]>([])
    let isOver = Mutex(false)
    let passcodes = PasscodeGuard(
      limits: .init(wrong: 1_000, wrongInSite: 1_000, wrongInProvider: 1_000, wrongInMeeting: 1_000),
      hashing: .init(matches: { _, passcode in
        while !isOver.withLock({ $0 }) { usleep(200) }
        order.withLock { $0.append(passcode.value) }
        return true
      }))
    let admission = try admission(Self.hash)
    let (flood, other) = (try #require(IPAddress("192.0.2.1")), try #require(IPAddress("198.51.100.1")))
    try await withThrowingTaskGroup(of: SignalingErrorCode?.self) { group in
      for _ in 0..<40 {
        group.addTask { await passcodes.refusal(of: "flood", for: admission, from: flood)?.code }
      }
      // One is being hashed, and a third of the queue waits: that is all a network gets.
      let refused = [try await group.next(), try await group.next()]
      #expect(refused.allSatisfy { $0 == .some(.some(.tooFast)) })
      try await wait(for: "the flood") { passcodes.waiting >= 21 }
      for _ in 0..<2 { group.addTask { await passcodes.refusal(of: "other", for: admission, from: other)?.code } }
      try await wait(for: "the others") { passcodes.waiting >= 23 }
      isOver.withLock { $0 = true }
      var ends = refused.compactMap { $0 }
      for try await code in group { ends.append(code) }
      #expect(ends.count { $0 == .tooFast } == 18, "\(ends)")
    }
    let all = order.withLock { $0 }
    #expect(all.count == 24 && (all.lastIndex(of: "other") ?? 99) <= 4, "\(all)")
  }

  @Test("passcodes sent at once are counted one by one, and the queue bounds the checks")
  func atOnce() async throws {
    let passcodes = PasscodeGuard(
      limits: .init(wrong: 3, window: .seconds(600), queue: 8), now: { Instant(nanoseconds: 0) })
    let admission = try admission(Self.hash)
    let address = try #require(IPAddress("192.0.2.1"))
    let codes = await withTaskGroup(of: SignalingErrorCode?.self) { group in
      for _ in 0..<30 { group.addTask { await passcodes.refusal(of: "4321", for: admission, from: address)?.code } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.count { $0 == .wrongPasscode } == 3, "\(codes)")
    #expect(codes.allSatisfy { [.wrongPasscode, .passcodeBlocked, .tooFast].contains($0) }, "\(codes)")
  }
}
