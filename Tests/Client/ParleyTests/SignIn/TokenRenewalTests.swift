import Basics
import MeetingServer
import Signaling
import TestSupport
import Testing
import Transport

@testable import Parley

/// Join tokens while one is in a meeting.
@Suite(.serialized) struct TokenRenewalTests {
  /// The token that an open room gives a guest.
  private func guest(_ server: LiveServer, _ room: String) async throws -> Secret<String> {
    let answer = try await HTTPClient.request("GET", "\(server.url)/discover/\(room)")
    return Secret(try #require(try SignalingDecoder().decode(DiscoverDocument.self, from: answer.body).token))
  }

  @Test("a token is replaced only by one for the same meeting and holder")
  func renews() async throws {
    try await LiveServer.run { server in
      let meeting = try await Meeting.join("\(server.url)/daily", name: "Ann")
      for (token, code) in [
        (Secret("psat=x"), "badToken"), (try await guest(server, "other"), "wrongMeeting"),
        (Secret(String(repeating: "x", count: 9_000)), "badToken"),
      ] {
        do {
          try await meeting.renew(token: token)
          Issue.record("\(code) was taken")
        } catch { #expect((error as? JoinError)?.code == code) }
      }
      #expect(!meeting.location.hasToken)
      let token = try await guest(server, "daily")
      try await meeting.renew(token: token)
      guard case .address(_, let used?) = meeting.location else { throw StillMissing("the new token") }
      #expect(used.value == token.value && meeting.state == .connected)
      await meeting.leave()
      await #expect(throws: JoinError.ended) { try await meeting.renew(token: token) }
    }
  }

  @Test("an app learns that its token ends, and reconnects with one the server hands out")
  @MainActor func notices() throws {
    let own = try Meeting("http://localhost/daily?jwt=first", name: "Ann")
    let open = try Meeting("http://localhost/daily", name: "Ben")
    for meeting in [own, open] {
      meeting.take(.refreshed(token: "psat=second", expires: .init()))
      meeting.take(.expiring(seconds: .max, leaves: true))
    }
    guard case .address(let address, let token) = own.location else { throw StillMissing("an address") }
    #expect(token?.value == "psat=second" && address.discover == "http://localhost/discover/daily")
    #expect(!open.location.hasToken)
    let discover = Meeting(discover: "https://meet.example:444/discover?anonymousMeetingJoinContext=psat%3dfirst")
    discover.take(.refreshed(token: "psat=second", expires: .init()))
    guard case .token(let other, let server) = discover.location else { throw StillMissing("a server") }
    #expect(other.value == "psat=second" && server == "https://meet.example:444")
  }
}
