import Testing

@testable import Transport

/// Names that mean this machine (RFC 6761 section 6.3).
struct NameResolverTests {
  @Test(
    "localhost is this machine, also where no file of the system says so",
    arguments: ["localhost", "LocalHost.", "a.b.localhost"])
  func localhostNeedsNoResolver(name: String) async throws {
    let addresses = try await NameResolver.resolve(name)
    #expect(addresses.map(\.description) == ["127.0.0.1", "::1"])
  }

  @Test(
    "A name that only looks like it is asked for as any other",
    arguments: ["localhost.example", "mylocalhost", ".", ""])
  func othersAreNotLocal(name: String) {
    #expect(!NameResolver.isLocal(name))
  }

  @Test("A name that does not exist is told by name")
  func unknownNames() async {
    await #expect(throws: TransportError.self) { try await NameResolver.resolve("nowhere.invalid") }
  }
}
