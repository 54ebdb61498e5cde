import Basics
import Foundation
import RTC
import SFU
import TestSupport
import Testing
import Transport

@Suite("The addresses and ports of media", .serialized, .timeLimit(.minutes(20))) struct MediaListeningTests {
  private func pool(_ hosts: [IPAddress] = [], port: UInt16 = 0) throws -> MediaWorkerPool {
    try MediaWorkerPool(
      count: 1,
      configuration: MediaWorkerConfiguration(
        dtls: DTLSContext(certificate: .selfSigned(unixTime: Int64(time(nil)))), port: port,
        addresses: MediaAddressPolicy(hosts: hosts)))
  }

  /// Somebody in a meeting, who negotiates again.
  private struct Caller {
    let client: LoopbackClient
    let id = ParticipantID(rawValue: "p")
    let pool: MediaWorkerPool

    init(_ pool: MediaWorkerPool) throws {
      client = try LoopbackClient(dtls: DTLSContext(certificate: .selfSigned(unixTime: Int64(time(nil)))))
      _ = client.peer.addTrack(.audio)
      self.pool = pool
    }

    /// Joins; `more` is put at the end of the offer.
    func join(_ more: String = "", reached: IPAddress? = nil) async throws -> String {
      let offer = try client.peer.createOffer() + more
      let answer = try await pool.join(
        id, meeting: MeetingID(rawValue: "m"), offer: offer, tracks: [], reached: reached)
      try client.peer.setAnswer(answer.sdp, now: MonotonicClock.now)
      return answer.sdp
    }

    func offer(_ more: String = "") async throws -> String {
      let answer = try await pool.offer(id, offer: try client.peer.createOffer() + more, tracks: [])
      try client.peer.setAnswer(answer.sdp, now: MonotonicClock.now)
      return answer.sdp
    }
  }

  @Test("workers on different addresses share a port; the wildcard conflicts with them")
  func shared() async throws {
    let (one, two) = (IPAddress(v4: 0x7F00_0001), IPAddress(v4: 0x7F00_0002))
    let first = try pool([one])
    try await first.start()
    let port = try #require(await first.ports.first)
    let second = try pool([two], port: port)
    try await second.start()
    let everywhere = try pool(port: port)
    await #expect(throws: TransportError.self) { try await everywhere.start() }
    let (atFirst, atSecond) = (try await Caller(first).join(), try await Caller(second).join())
    #expect(atFirst.contains(" 127.0.0.1 \(port) typ host") && !atFirst.contains("127.0.0.2"))
    #expect(atSecond.contains(" 127.0.0.2 \(port) typ host") && !atSecond.contains("127.0.0.1 \(port)"))
    for pool in [first, second, everywhere] { await pool.shutdown() }
  }

  @Test("an address that no interface has is an error that names it")
  func missing() async throws {
    let address = IPAddress(v4: 0xCB00_7101)
    let pool = try pool([address])
    await #expect(throws: TransportError.addressNotAvailable(TransportAddress(ip: address, port: 0))) {
      try await pool.start()
    }
    await pool.shutdown()
  }

  @Test("a later offer with more candidates than are read is taken, and they are counted")
  func manyCandidates() async throws {
    let pool = try pool([IPAddress(v4: 0x7F00_0001)])
    try await pool.start()
    let caller = try Caller(pool)
    _ = try await caller.join()
    let many = (0..<100).map { "a=candidate:\($0) 1 udp 1 192.0.2.1 9 typ host\r\n" }.joined()
    #expect(try await caller.offer(many).contains("m=audio"))
    // Of the client's own there are some, so that not all of 64 are free for these.
    let ignored = try #require(await pool.statistics().first).candidatesIgnored
    #expect((36...40).contains(ignored))
    await pool.shutdown()
  }

  private static func ip(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/ip")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("a new address is announced from the next answer on, and a gone one isn't")
  func followed() async throws {
    let text = "192.0.2.\(Int.random(in: 201...250))"
    // Only the administrator may add addresses.
    guard Self.ip("address", "add", "\(text)/32", "dev", "lo") else { return }
    _ = Self.ip("address", "del", "\(text)/32", "dev", "lo")
    let pool = try pool()
    try await pool.start()
    let caller = try Caller(pool)
    #expect(try await !caller.join(reached: IPAddress(text)).contains(" \(text) "))
    #expect(Self.ip("address", "add", "\(text)/32", "dev", "lo"))
    var answer = ""
    do {
      try await wait(for: "the new address") {
        answer = (try? await caller.offer()) ?? ""
        return answer.contains(" \(text) ")
      }
      let first = answer.split(separator: "\r\n").first { $0.hasPrefix("a=candidate:") }
      #expect(first?.contains(" \(text) ") == true)
    } catch {
      Issue.record(error)
    }
    #expect(Self.ip("address", "del", "\(text)/32", "dev", "lo"))
    try await wait(for: "its end") {
      answer = (try? await caller.offer()) ?? "none"
      return !answer.contains(" \(text) ")
    }
    #expect(answer.contains("a=candidate:"))
    await pool.shutdown()
  }
}
