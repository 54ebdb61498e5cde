import Basics
import MeetingServer
import Parley
import TestSupport
import Testing

/// Media through a real coturn, and what an app hears when that does not take it.
@MainActor
@Suite(.serialized, .enabled(if: TurnServerProcess.program != nil, "coturn is not installed"))
struct RelayTests {
  private func withTurn(
    password: String, query: String = "", _ body: @MainActor (LiveServer, JoinOptions) async throws -> Void
  ) async throws {
    let turn = try TurnServerProcess()
    try await wait(for: "coturn to listen") { turn.isListening }
    let url = "turn:127.0.0.1:\(turn.port)\(query)"
    try await LiveServer.run(configure: { configuration in
      configuration.iceServers.urls = [url]
      configuration.iceServers.credentials = .fixed(username: "ann", password: Secret(password))
    }) { server in
      var options = JoinOptions(name: "Ann")
      options.usesOnlyRelays = true
      try await body(server, options)
    }
  }

  @Test("a TURN server that refuses the password fails the join at once, and is named")
  func wrongPassword() async throws {
    try await withTurn(password: "wrong") { server, options in
      // Nothing but the refusal ends the wait for media.
      var options = options
      options.timeout = .seconds(3_600)
      options.steps.joining = .seconds(3_600)
      let meeting = try Meeting("\(server.url)/relay", options: options)
      let witness = Witness(meeting)
      do throws(JoinError) {
        try await meeting.join()
        Issue.record("joined with a wrong password")
      } catch {
        guard case .relayFailed(let url, .badCredentials) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(url.hasPrefix("turn:127.0.0.1:"))
        #expect(error.description.contains("TURN server does not accept the user name and password"))
        #expect(error.description.contains(url))
        // Neither this network nor a firewall has anything to do with a password.
        #expect(
          !error.description.contains("network") && error.description.contains("whoever runs the meeting's server"))
      }
      try await wait(for: "the problem among the events, seen: \(witness.events)") {
        witness.events.contains { $0.hasPrefix("problem") && $0.contains("password") }
      }
      #expect(meeting.state == .ended && meeting.endReason == .failed)
    }
  }

  @Test(
    "the selected pair says how a relay is reached and what it relays (relayProtocol)",
    arguments: ["udp", "tcp"])
  func relayStatistics(transport: String) async throws {
    try await withTurn(password: "secret", query: "?transport=\(transport)") { server, options in
      let meeting = try Meeting("\(server.url)/relay", options: options)
      try await meeting.join()
      let statistics = try #require(await meeting.statistics())
      let pair = try #require(statistics.transport.selectedCandidatePair)
      #expect(pair.local.candidateType == .relayed && pair.local.protocol == .udp)
      #expect(pair.local.relayProtocol == (transport == "udp" ? .udp : .tcp))
      #expect(pair.local.url?.hasSuffix("transport=\(transport)") == true)
      #expect(pair.remote.candidateType == .host && pair.remote.relayProtocol == nil && pair.remote.url == nil)
      await meeting.leave()
    }
  }
}
