import RTC
import Testing

@testable import Parley

/// An error's words are true for everything that ends with it.
@Suite struct JoinErrorTests {
  private static let url = "turn:turn.example:3478"

  @Test(
    "a TURN server that refuses is named as the cause, not the network",
    arguments: [
      TurnError.badCredentials, .quotaReached, .noCapacity, .forbidden, .allocationLost, .tooManyAlternates,
      .refused(code: 400, reason: "Bad Request"), .malformedAnswer(missing: "an address"),
    ])
  func refusingRelay(reason: TurnError) {
    let text = JoinError.relayFailed(url: Self.url, reason).description
    #expect(text.contains(Self.url) && text.contains(reason.description), "\(text)")
    #expect(!text.contains("network") && text.contains("whoever runs the meeting's server"), "\(text)")
  }

  @Test(
    "an unreachable TURN server's error says that another network may reach it",
    arguments: [TurnError.noAnswer, .connectionFailed, .unknownHost, .unsupported, .socketRemoved])
  func unreachableRelay(reason: TurnError) {
    let text = JoinError.relayFailed(url: Self.url, reason).description
    #expect(text.contains(Self.url) && text.contains(reason.description), "\(text)")
    #expect(text.contains("Try another network"), "\(text)")
  }

  @Test("a cancelled action isn't called a join: it may have been publishing or sending")
  func cancelled() {
    let text = JoinError.cancelled.description
    #expect(!text.contains("join") && text.contains("cancelled"), "\(text)")
  }

  @Test("a TURN server is known by its scheme in any case (RFC 3986 3.1), nothing else")
  func relaySchemes() {
    for url in ["turn:h", "TURN:h:3478", "Turns:h?transport=tcp", "tUrNs:[::1]"] {
      #expect(ServerProblem.isRelay(url), "\(url)")
    }
    for url in ["stun:h", "STUN:turn.example", "turnip:h", "turner", "", ":turn"] {
      #expect(!ServerProblem.isRelay(url), "\(url)")
    }
  }
}
