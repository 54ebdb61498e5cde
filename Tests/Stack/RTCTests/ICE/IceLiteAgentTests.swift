import Basics
import RTC
import TestSeeds
import Testing

@Suite("The server's ICE agent", .tellsSeeds)
struct IceLiteAgentTests {
  private func agent() -> IceLiteAgent {
    IceLiteAgent(local: IceTest.server, remote: IceTest.client, now: .zero)
  }

  @Test("an authentic check's answer has its source address (RFC 8445 7.3.1.2)")
  func answers() throws {
    var agent = agent()
    let path = IceTest.path(7, port: 40_000)
    let action = agent.receive(IceTest.check(id: 42), path)
    #expect(action.change == IcePathChange(isValidated: true))
    let reply = try STUNSnapshot(
      try #require(action.reply), key: STUNIntegrityKey(password: IceTest.server.password.value))
    #expect(reply.messageClass == .successResponse)
    #expect(reply.transactionID == STUNTransactionID(high: 9, low: 42))
    #expect(reply.xorMappedAddress == path.remote)
    #expect(reply.isAuthentic)
    #expect(reply.fingerprint == .valid)
    #expect(agent.selectedPath == nil)
    #expect(agent.transmitPath == path)
  }

  @Test("the path nominated last is the selected one, RFC 8445 section 8.1")
  func nomination() {
    var agent = agent()
    let (a, b) = (IceTest.path(7), IceTest.path(8))
    #expect(
      agent.receive(IceTest.check(nominate: true), a).change == IcePathChange(isValidated: true, isSelected: true))
    #expect(agent.receive(IceTest.check(), b).change == IcePathChange(isValidated: true))
    #expect(agent.selectedPath == a)
    #expect(agent.receive(IceTest.check(nominate: true), b).change == IcePathChange(isSelected: true))
    #expect(agent.selectedPath == b)
    #expect(agent.receive(IceTest.check(nominate: true), b).change == IcePathChange.none)
    #expect(agent.isProven(a))
  }

  @Test("threat 6: checks without a right MESSAGE-INTEGRITY get no reply or state")
  func unauthentic() {
    var agent = agent()
    let path = IceTest.path(7)
    let hostile: [([UInt8], IceIgnoredReason)] = [
      (IceTest.check(nominate: true, integrity: false), .missingIntegrity),
      (IceTest.check(password: "wrongPasswordOfTwentyTwo", nominate: true), .wrongIntegrity),
      (IceTest.check(from: IceTest.stranger, nominate: true), .wrongUsername),
      (IceTest.check(to: IceTest.stranger, nominate: true), .wrongUsername),
      (IceTest.check(integrity: false, extra: STUNAttributeType(rawValue: 0x7001)), .missingIntegrity),
      (IceTest.check(role: .controlled(tieBreaker: 1), integrity: false), .missingIntegrity),
      (IceTest.check(messageClass: .indication), .notForUs),
      (IceTest.check(messageClass: .successResponse), .notForUs),
      ([0], .malformed(.tooShort(length: 1))),
      ([], .malformed(.tooShort(length: 0))),
    ]
    for (bytes, reason) in hostile {
      #expect(agent.receive(bytes, path) == .ignored(reason))
    }
    #expect(agent.transmitPath == nil)
    #expect(agent.isProven(path) == false)
    #expect(agent.pollEvent() == nil)
  }

  @Test("threat 6: no message cut or damaged on the way is answered")
  func damaged() {
    var agent = agent()
    let path = IceTest.path(7)
    let check = IceTest.check(nominate: true)
    for length in 0..<check.count {
      #expect(agent.receive(Array(check[..<length]), path).reply == nil)
    }
    var random = SeededRandom(seed: TestSeed.of(6))
    var answered = 0
    for _ in 0..<100_000 {
      let bytes = random.mutate(check)
      // Bytes after MESSAGE-INTEGRITY are not covered; everything before must be as it was.
      guard agent.receive(bytes.span, path: path, now: .zero).reply != nil else { continue }
      if bytes[..<2] != check[..<2] || bytes[4..<(check.count - 8)] != check[4..<(check.count - 8)] { answered += 1 }
    }
    #expect(answered == 0)
  }

  @Test("threat 7: a reply is never longer than its check, and strangers cause none")
  func reflection() throws {
    for last in 0..<50 as Range<UInt8> {
      var agent = agent()
      let v6 = TransportAddress(ip: try #require(IPAddress("2001:db8::\(last)")), port: 5)
      for path in [
        IceTest.path(last), IcePath(transport: .udp, local: v6, remote: v6),
      ] {
        for check in [
          IceTest.check(), IceTest.check(nominate: true), IceTest.check(role: .controlled(tieBreaker: 5)),
          IceTest.check(extra: STUNAttributeType(rawValue: 0x7001)),
        ] {
          let action = agent.receive(check, path)
          let reply = try #require(action.reply)
          #expect(reply.count <= check.count)
        }
        #expect(agent.receive(IceTest.check(to: IceTest.stranger), path).reply == nil)
        #expect(agent.receive(IceTest.check(password: IceTest.stranger.password.value), path).reply == nil)
      }
    }
  }

  // Other packets from the new one don't.
  @Test("threat 9: only an authentic check moves the address")
  func hijack() {
    var agent = agent()
    let (home, thief) = (IceTest.path(7), IceTest.path(66))
    _ = agent.receive(IceTest.check(nominate: true), home)
    _ = agent.receive(IceTest.check(password: "guessedPasswordOfTwentyTwo", nominate: true), thief)
    _ = agent.receive(IceTest.check(nominate: true, integrity: false), thief)
    _ = agent.receive(IceTest.check(nominate: true, messageClass: .indication), thief)
    // USE-CANDIDATE added to an authentic check behind its MESSAGE-INTEGRITY.
    var tampered = IceTest.check()
    tampered.removeLast(8)
    tampered += [0x00, 0x25, 0, 0]
    tampered[3] = UInt8(tampered.count - 20)
    _ = agent.receive(tampered, thief)
    #expect(agent.selectedPath == home)
    #expect(agent.transmitPath == home)
    #expect(agent.receive(IceTest.check(nominate: true), thief).change?.isSelected == true)
  }

  @Test("threat 10: consent ends 30 s after the last authentic check (RFC 7675 5.1)")
  func consent() {
    var agent = agent()
    let path = IceTest.path(7)
    _ = agent.receive(IceTest.check(nominate: true), path)
    for second in 1...60 as ClosedRange<Int64> {
      agent.run(until: .milliseconds(second * 1_000))
      if second % 5 == 0 { _ = agent.receive(IceTest.check(), path, at: second * 1_000) }
    }
    #expect(agent.selectedPath == path)
    #expect(agent.drainEvents() == [])
    // Noise from strangers does not keep it alive.
    for second in 61...89 as ClosedRange<Int64> {
      agent.run(until: .milliseconds(second * 1_000))
      _ = agent.receive(IceTest.check(integrity: false), path, at: second * 1_000)
      _ = agent.receive(IceTest.check(password: "wrongPasswordOfTwentyTwo"), path, at: second * 1_000)
    }
    agent.run(until: .milliseconds(89_999))
    #expect(agent.selectedPath == path)
    agent.run(until: .milliseconds(90_000))
    #expect(agent.selectedPath == nil)
    #expect(agent.transmitPath == nil)
    #expect(agent.drainEvents() == [.pathForgotten(path), .consentLost])
    #expect(agent.deadline == .distantFuture)
    // A new owner of the address cannot revive it with an old check.
    #expect(agent.receive(IceTest.check(nominate: true), path, at: 91_000) == .ignored(.consentLost))
  }

  @Test("a peer that never checks is lost after 30 s")
  func neverChecked() {
    var agent = agent()
    agent.run(until: .milliseconds(29_999))
    #expect(agent.drainEvents() == [])
    agent.run(until: .milliseconds(30_000))
    #expect(agent.drainEvents() == [.consentLost])
  }

  @Test("a path falls silent alone; the other one carries on, RFC 7675 section 5.1")
  func onePathSilent() {
    var agent = agent()
    let (a, b) = (IceTest.path(7), IceTest.path(8))
    _ = agent.receive(IceTest.check(nominate: true), a)
    _ = agent.receive(IceTest.check(), b, at: 20_000)
    agent.run(until: .milliseconds(30_000))
    #expect(agent.drainEvents() == [.pathForgotten(a)])
    #expect(agent.selectedPath == nil)
    #expect(agent.transmitPath == b)
    agent.run(until: .milliseconds(50_000))
    #expect(agent.drainEvents() == [.pathForgotten(b), .consentLost])
  }

  @Test("an address of the peer stays proven while one of the paths from it does")
  func addressOfTwoPaths() {
    var agent = agent()
    let a = IceTest.path(7)
    var b = a
    b.local = IceTest.path(8).remote
    _ = agent.receive(IceTest.check(nominate: true), a)
    _ = agent.receive(IceTest.check(), b)
    _ = agent.receive(IceTest.check(), a, at: 20_000)
    agent.run(until: .milliseconds(30_000))
    #expect(agent.drainEvents() == [.pathForgotten(b)])
    #expect(agent.isProven(from: a.remote, handle: a.handle))
    agent.run(until: .milliseconds(50_000))
    #expect(!agent.isProven(from: a.remote, handle: a.handle))
  }

  @Test("a closed connection is forgotten at once, and the peer has 30 s to come back")
  func closedConnection() {
    var agent = agent()
    let (a, b) = (IceTest.path(7, transport: .tcp), IceTest.path(7, port: 5_001, transport: .tcp))
    _ = agent.receive(IceTest.check(nominate: true), a, at: 10_000)
    agent.remove(a)
    #expect(agent.transmitPath == nil)
    agent.run(until: .milliseconds(39_999))
    #expect(agent.isConsentLost == false)
    _ = agent.receive(IceTest.check(nominate: true), b, at: 39_999)
    #expect(agent.selectedPath == b)
  }

  @Test("a peer that claims our role gets 487, changing nothing (RFC 8445 7.3.1.1)")
  func roleConflict() throws {
    var agent = agent()
    for tieBreaker in [0, 1, UInt64.max] {
      let check = IceTest.check(nominate: true, role: .controlled(tieBreaker: tieBreaker))
      let action = agent.receive(check, IceTest.path(7))
      guard case .refused(let reply, .roleConflict) = action else {
        Issue.record("expected a role conflict, got \(action)")
        return
      }
      let message = try STUNSnapshot(reply, key: STUNIntegrityKey(password: IceTest.server.password.value))
      #expect(message.errorCode == 487)
      #expect(message.isAuthentic)
    }
    #expect(agent.transmitPath == nil)
  }

  // After authentication.
  @Test("unknown required attributes are refused by name (RFC 8489 6.3.1)")
  func unknownAttributes() throws {
    var agent = agent()
    let unknown = STUNAttributeType(rawValue: 0x7001)
    let action = agent.receive(IceTest.check(nominate: true, extra: unknown), IceTest.path(7))
    guard case .refused(let reply, .unknownAttributes) = action else {
      Issue.record("expected a refusal, got \(action)")
      return
    }
    let message = try STUNSnapshot(reply, key: STUNIntegrityKey(password: IceTest.server.password.value))
    #expect(message.errorCode == 420)
    #expect(message.listedUnknownAttributes == [unknown])
    #expect(agent.transmitPath == nil)
    // Optional ones, such as Chromium's network information, don't matter.
    let optional = IceTest.check(extra: STUNAttributeType(rawValue: 0xC057))
    #expect(agent.receive(optional, IceTest.path(7)).change?.isValidated == true)
  }

  @Test("a peer's checks fill at most 32 paths, and never lose the selected one")
  func manyPaths() {
    var agent = agent()
    let home = IceTest.path(7)
    _ = agent.receive(IceTest.check(nominate: true), home)
    var proven: Set<IcePath> = [home]
    for port in 1_000..<3_000 as Range<UInt16> {
      let path = IceTest.path(8, port: port)
      if agent.receive(IceTest.check(), path, at: Int64(port)).change?.isValidated == true { proven.insert(path) }
      for event in agent.drainEvents() {
        if case .pathForgotten(let gone) = event { proven.remove(gone) }
      }
      #expect(proven.count <= IceLiteAgent.maximumPaths)
    }
    #expect(agent.selectedPath == home)
    #expect(proven.contains(home))
    #expect(proven.allSatisfy(agent.isProven))
  }
}

@Suite("ICE restart at the server", .tellsSeeds)
struct IceLiteRestartTests {
  let newServer = IceTest.credentials("srv2")
  let newClient = IceTest.credentials("cln2")

  @Test("the old path flows until a new nomination after a restart (RFC 8445 9)")
  func keepsFlowing() {
    var agent = IceLiteAgent(local: IceTest.server, remote: IceTest.client, now: .zero)
    let (a, b) = (IceTest.path(7), IceTest.path(8))
    _ = agent.receive(IceTest.check(nominate: true), a)
    agent.restart(remote: newClient, newLocal: newServer, now: .milliseconds(10_000))
    #expect(agent.selectedPath == a)
    #expect(agent.local == newServer)
    #expect(agent.receive(IceTest.check(), a, at: 11_000).change == IcePathChange.none)
    #expect(agent.receive(IceTest.check(from: newClient, to: newServer), b, at: 11_100).change?.isValidated == true)
    #expect(agent.selectedPath == a)
    #expect(agent.drainEvents() == [])
    // Fragments of different generations do not mix.
    #expect(agent.receive(IceTest.check(from: IceTest.client, to: newServer), b) == .ignored(.wrongUsername))

    let nominated = IceTest.check(from: newClient, to: newServer, nominate: true)
    #expect(agent.receive(nominated, b, at: 11_200).change == IcePathChange(isSelected: true))
    #expect(agent.drainEvents() == [.ufragRetired("serv"), .pathForgotten(a)])
    #expect(agent.receive(IceTest.check(nominate: true), a, at: 11_300) == .ignored(.wrongUsername))
    #expect(agent.selectedPath == b)
  }

  @Test("the same 5-tuple may serve both generations")
  func samePath() {
    var agent = IceLiteAgent(local: IceTest.server, remote: IceTest.client, now: .zero)
    let path = IceTest.path(7)
    _ = agent.receive(IceTest.check(nominate: true), path)
    agent.restart(remote: newClient, newLocal: newServer, now: .zero)
    let check = IceTest.check(from: newClient, to: newServer, nominate: true)
    #expect(agent.receive(check, path).change == IcePathChange.none)
    #expect(agent.selectedPath == path)
    #expect(agent.drainEvents() == [.ufragRetired("serv")])
  }

  @Test("two restarts in a row retire the generation in between; the first flows on")
  func twice() {
    var agent = IceLiteAgent(local: IceTest.server, remote: IceTest.client, now: .zero)
    let path = IceTest.path(7)
    _ = agent.receive(IceTest.check(nominate: true), path)
    agent.restart(remote: newClient, newLocal: newServer, now: .zero)
    agent.restart(
      remote: IceTest.credentials("cln3"), newLocal: IceTest.credentials("srv3"), now: .zero)
    #expect(agent.drainEvents() == [.ufragRetired("srv2")])
    #expect(agent.receive(IceTest.check(), path).change == IcePathChange.none)
    #expect(agent.receive(IceTest.check(from: newClient, to: newServer), path) == .ignored(.wrongUsername))
    #expect(agent.selectedPath == path)
  }

  @Test("threat 10: a restart revives consent, under new credentials only")
  func revives() {
    var agent = IceLiteAgent(local: IceTest.server, remote: IceTest.client, now: .zero)
    let path = IceTest.path(7)
    _ = agent.receive(IceTest.check(nominate: true), path)
    agent.run(until: .milliseconds(40_000))
    #expect(agent.isConsentLost)
    agent.restart(remote: newClient, newLocal: newServer, now: .milliseconds(50_000))
    #expect(agent.receive(IceTest.check(nominate: true), path, at: 50_000) == .ignored(.wrongUsername))
    let check = IceTest.check(from: newClient, to: newServer, nominate: true)
    #expect(agent.receive(check, path, at: 79_000).change?.isSelected == true)
    #expect(agent.drainEvents().contains(.ufragRetired("serv")))
    #expect(agent.deadline <= .milliseconds(80_000))
    agent.run(until: .milliseconds(108_999))
    #expect(agent.selectedPath == path)
    agent.run(until: .milliseconds(109_000))
    #expect(agent.selectedPath == nil)
  }
}
