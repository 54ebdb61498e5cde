import Basics
import Crypto
import Encryption
import Foundation
import TestSupport
import Testing

@testable import Parley

/// Lasting identities: the file, the memory of others, and how people are recognised.
@MainActor @Suite(.serialized) struct IdentityTests {
  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "parley-identity-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  private func problem(_ path: String, _ passphrase: String? = nil) -> IdentityFile.Problem? {
    do throws(IdentityFile.Problem) {
      _ = try IdentityFile(openingOrMaking: path, passphrase: passphrase.map { Secret($0) })
      return nil
    } catch { return error }
  }

  @Test("threat 63: an identity file is sealed, keeps its key, and must not be public")
  func file() async throws {
    try await inFolder { folder in
      for passphrase in [nil, "correct horse"] as [String?] {
        let path = "\(folder)/ann-\(passphrase == nil ? "plain" : "sealed")"
        var file = try IdentityFile(openingOrMaking: path, passphrase: passphrase.map { Secret($0) })
        file.known.remember(try Ed25519.PrivateKey().publicKey, named: "Benjamin")
        try file.save()
        let again = try IdentityFile(openingOrMaking: path, passphrase: passphrase.map { Secret($0) })
        #expect(again.identity.publicKey == file.identity.publicKey && again.known == file.known)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("Benjamin") == (passphrase == nil))
        #expect(text.contains(Base64URL.encode(file.identity.seed.bytes)) == (passphrase == nil))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(problem(path, passphrase) == .readableByOthers)
      }
      let sealed = "\(folder)/ann-sealed"
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sealed)
      #expect(problem(sealed) == .passphraseRequired && problem(sealed, "wrong horse") == .wrongPassphrase)
      for text in ["", "{}", #"{"format":"parley-identity-2"}"#, #"{"format":"parley-identity-1","sealed":"AAAA"}"#] {
        let path = "\(folder)/odd"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(problem(path, "x") == .unreadable)
      }
      #expect(problem("\(folder)/none/ann") != nil && problem(folder) != nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3, "no parts are left")
    }
  }

  @Test("threat 63: a passphrase seals a bare file, and only readable files are written")
  func rewriting() async throws {
    try await inFolder { folder in
      let path = "\(folder)/ann"
      var file = try IdentityFile(openingOrMaking: path)
      let odd = "\u{7}" + String(repeating: "\"\\/", count: 300)
      for _ in 0..<KnownIdentities.maximumPeople {
        file.known.remember(try Ed25519.PrivateKey().publicKey, named: odd, in: "m_1")
      }
      try file.save()
      let sealed = try IdentityFile(openingOrMaking: path, passphrase: Secret("correct horse"))
      #expect(sealed.known == file.known && sealed.identity.publicKey == file.identity.publicKey)
      #expect(problem(path) == .passphraseRequired && problem(path, "correct horse") == nil)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!text.contains(Base64URL.encode(file.identity.seed.bytes)))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["ann"], "no parts are left")
      // An earlier version wrote long names.
      let name = String(repeating: "x", count: 3_000)
      let old = Data(#"{"people":[{"key":"AA","name":"\#(name)","meetings":9223372036854775807}]}"#.utf8)
      #expect(try JSONDecoder().decode(KnownIdentities.self, from: old).people.first?.name.utf8.count == 100)
    }
  }

  @Test("threat 63: two programs with one file share its key and keep the people of both")
  func shared() async throws {
    try await inFolder { folder in
      for passphrase in [nil, Secret("correct horse")] as [Secret<String>?] {
        let path = "\(folder)/ann-\(passphrase == nil ? "plain" : "sealed")"
        // Both find no file.
        let made = await withTaskGroup(of: LastingIdentity?.self, returning: [LastingIdentity?].self) { group in
          for _ in 0..<4 {
            group.addTask { try? IdentityFile(openingOrMaking: path, passphrase: passphrase).identity }
          }
          var made: [LastingIdentity?] = []
          for await identity in group { made.append(identity) }
          return made
        }
        #expect(made.count == 4 && made.allSatisfy { $0 != nil && $0 == made[0] })
        var (one, other) = (
          try IdentityFile(openingOrMaking: path, passphrase: passphrase),
          try IdentityFile(openingOrMaking: path, passphrase: passphrase)
        )
        let (ben, cem) = (try Ed25519.PrivateKey().publicKey, try Ed25519.PrivateKey().publicKey)
        one.known.remember(ben, named: "Ben")
        other.known.remember(cem, named: "Cem")
        try one.save()
        try other.save()
        let both = try IdentityFile(openingOrMaking: path, passphrase: passphrase).known
        #expect(both.count == 2 && both.recognition(of: ben, named: "Ben").recognition == .sameDevice)
        try FileManager.default.removeItem(atPath: path)
        let next = try IdentityFile(openingOrMaking: path, passphrase: passphrase)
        // The salt of a sealed one is another.
        let problem: IdentityFile.Problem = passphrase == nil ? .replaced : .wrongPassphrase
        #expect(throws: problem) { try one.save() }
        #expect(try IdentityFile(openingOrMaking: path, passphrase: passphrase).identity == next.identity)
      }
    }
  }

  @Test("threat 63: a known name with another key is told, and a known key's new name")
  func memory() throws {
    struct Memory {
      var known = KnownIdentities()
      mutating func remember(_ key: Ed25519.PublicKey, named name: String) { known.remember(key, named: name) }
      func recognition(of key: Ed25519.PublicKey, named name: String) -> ParticipantIdentity.Recognition? {
        known.recognition(of: key, named: name).recognition
      }
    }
    var known = Memory()
    let keys = try (0..<4).map { _ in try Ed25519.PrivateKey().publicKey }
    #expect(known.recognition(of: keys[0], named: "Ann") == .newDevice)
    known.remember(keys[0], named: "Ann")
    #expect(known.recognition(of: keys[0], named: "Ann") == .sameDevice)
    // A guest has another key in each meeting.
    #expect(known.recognition(of: keys[1], named: "Ann") == .newDevice)
    known.remember(keys[0], named: "Ann")
    #expect(known.recognition(of: keys[1], named: "Ann") == .changed)
    #expect(known.recognition(of: keys[1], named: "Ben") == .newDevice)
    let renamed = known.known.recognition(of: keys[0], named: "Anna")
    #expect(renamed.recognition == .renamed && renamed.earlierName == "Ann")
    // Somebody who is known takes the name of another.
    known.remember(keys[2], named: "Mallory")
    #expect(known.recognition(of: keys[2], named: "Ann") == .changed)
    #expect(known.recognition(of: keys[2], named: "Mallory\u{7}") == .sameDevice)
    // Coming again to one meeting counts once; the next day it is another one of the same room.
    for seconds in [0, 600, 100_000] {
      known.known.remember(keys[3], named: "Dan", in: "m_1", now: 1_000_000 + seconds)
    }
    #expect(known.known.people.last?.meetings == 2)
    for _ in 0..<KnownIdentities.maximumPeople { known.remember(try Ed25519.PrivateKey().publicKey, named: "x") }
    #expect(
      known.known.count == KnownIdentities.maximumPeople
        && known.recognition(of: keys[2], named: "Mallory") == .newDevice)
    #expect(known.recognition(of: keys[0], named: "Ann") == .sameDevice, "guests are forgotten first")
    let copy = try JSONDecoder().decode(KnownIdentities.self, from: JSONEncoder().encode(known.known))
    #expect(copy == known.known)
  }

  @Test("a lasting identity is recognised in the next meeting by the same safety code")
  func live() async throws {
    try await LiveServer.run { server in
      let secret = try LinkSecret()
      var (ann, ben) = (JoinOptions(name: "Ann"), JoinOptions(name: "Ben"))
      ann.identity = try LastingIdentity()
      ben.identity = try LastingIdentity()
      ben.knownIdentities = KnownIdentities()
      var codes: [String?] = []
      var pairs: Set<String> = []
      for (round, expected) in [
        ParticipantIdentity.Recognition.newDevice, .sameDevice, .changed,
      ].enumerated() {
        if round == 2 { ann.identity = nil }
        let url = "\(server.url)/round-\(round)#e2ee=\(secret.text)"
        let first = try await Meeting.join(url, options: ann)
        let second = try await Meeting.join(url, options: ben)
        let witness = Witness(second)
        try await wait(for: "one code") {
          first.encryption.state == .encrypted && first.encryption.safetyCode == second.encryption.safetyCode
        }
        let identity = try #require(second.participants.first?.identity)
        #expect(identity.recognition == expected && first.participants.first?.identity?.recognition == nil)
        #expect((identity.publicKey == ann.identity?.publicKey.rawValue) == (round < 2))
        // Coming again is the same meeting.
        let ring = second.secret?.ring
        second.rejoin()
        try await wait(for: "one code again: \(first.encryption) \(second.encryption)") {
          second.secret?.ring !== ring && second.encryption.state == .encrypted
            && first.encryption == second.encryption && second.participants.first?.identity == identity
        }
        try await wait(for: "the event") { witness.saw("reconnected") }
        let told = witness.events.filter { $0.contains("is not on the device that you know from earlier meetings") }
          .count
        #expect(told == (expected == .changed ? 1 : 0))
        let pair = try #require(second.participants.first.flatMap { second.pairCode(with: $0) })
        #expect(pair.count == 60 && first.participants.first.flatMap { first.pairCode(with: $0) } == pair)
        pairs.insert(pair)
        if expected == .changed {
          #expect(second.knownIdentities?.people.map(\.meetings) == [2], "a changed one isn't trusted silently")
          second.trust(try #require(second.participants.first))
          #expect(second.participants.first?.identity?.recognition == .newDevice)
        }
        codes.append(second.encryption.safetyCode)
        ben.knownIdentities = second.knownIdentities
        await second.leave()
        await first.leave()
      }
      #expect(codes[0] == codes[1] && codes[1] != codes[2] && pairs.count == 2)
      #expect(ben.knownIdentities?.people.map(\.meetings) == [2, 1])
    }
  }
}
