import Encryption
import Foundation
import Parley
import Testing

@testable import ParleyCLI

@Suite("parley vault")
struct VaultCommandTests {
  @Test("a device's memory outlasts the command, and an unreadable file is an error")
  func seenFile() throws {
    let folder = NSTemporaryDirectory() + "parley-vault-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let options = try CommandOptions(["--state", folder + "/a/vaults.json"], table: [VaultSeenFile.option])
    let file = VaultSeenFile(options)
    #expect(try file.read() == Parley.Vault.Seen())
    var seen = Parley.Vault.Seen()
    let parameters = try VaultParameters()
    try seen.memory.accept(
      try VaultRecord(version: 3, parameters: parameters, sealed: [1]), owner: "https://meet.example n_1/ann")
    try file.write(seen)
    #expect(try VaultSeenFile(options).read() == seen)
    let people = KnownPeopleFile(beside: file)
    let known = try JSONDecoder().decode(
      KnownIdentities.self, from: Data(#"{"people":[{"key":"AA","name":"Ann","meetings":2}]}"#.utf8))
    #expect(try people.path == folder + "/a/known-people.json" && people.read() == KnownIdentities())
    try people.write(known)
    #expect(try people.read() == known)
    #expect(try FileManager.default.attributesOfItem(atPath: people.path)[.posixPermissions] as? Int == 0o600)
    try "{".write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(throws: CommandGroup.Failure.self) { try file.read() }
  }

  @Test("the server and the token identify a meeting's person, however it is named")
  func person() throws {
    let table = JoinCommand.table
    let cases: [([String], String?)] = [
      (["https://meet.example/board#jwt=abc"], "https://meet.example abc"),
      (["https://meet.example:8443/board", "--token", "abc"], "https://meet.example:8443 abc"),
      (["--server", "http://localhost:8080", "--token", "abc"], "http://localhost:8080 abc"),
      (["--discover", "http://localhost:8080/discover/board?x=1", "--token", "abc"], "http://localhost:8080 abc"),
      (["https://meet.example/board"], nil),
    ]
    for (arguments, expected) in cases {
      let found = try JoinTarget(try CommandOptions(arguments, table: table)).person
      #expect(found.map { "\($0.server) \($0.token.value)" } == expected, "\(arguments)")
    }
  }
}
