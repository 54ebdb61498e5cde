import Foundation
import Meetings
import Messaging
import Testing

@testable import MeetingServer

@Suite("Key storage over HTTP")
struct KeyRecordEndpointTests {
  private func put(_ server: TestServer, _ domain: DomainID, _ body: String) async throws -> TestAnswer {
    try await TestServer.request(
      "PUT", "\(server.url)\(KeyRecordEndpoints.prefix)\(domain)/ann",
      ["Authorization": "Bearer \(TestServer.unsigned("ann"))"], Array(body.utf8))
  }

  private let settings = MessagingDomain.Settings(
    environment: .sandbox, authentication: .disabled, hasKeyManagement: false)

  @Test("threat 55: a record has a bounded size and number of values, also in parts")
  func bounds() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain("own", settings)
      let values = Array(repeating: #""""#, count: MessagingLimits.keyRecordValues).joined(separator: ",")
      let many = try await put(server, domain, #"{"keys":{"public":[\#(values)]}}"#)
      #expect(many.status == 400 && many.text.contains("(keyRecordValues)"), "\(many.text)")
      let text = String(repeating: "a", count: MessagingLimits.keyRecordBytes / 6)
      var statuses: [Int] = []
      for index in 0..<6 {
        statuses.append(try await put(server, domain, #"{"keys":{"private":{"\#(index)":"\#(text)"}}}"#).status)
      }
      // With the names, six sixths are more than the whole.
      #expect(statuses == [200, 200, 200, 200, 200, 400])
    }
  }

  @Test("threat 55: an address changes records as seldom as it makes anything else")
  func writes() async throws {
    try await TestServer.run {
      $0.addressWriteRate = 1
    } _: { server in
      let domain = try await server.makeDomain("own", settings)
      var refused: TestAnswer?
      // Twenty at once, and one a second while this takes.
      for _ in 0..<100 where refused == nil {
        let answer = try await put(server, domain, #"{"keys":{}}"#)
        if answer.status != 200 { refused = answer }
      }
      let answer = try #require(refused)
      #expect(answer.status == 429 && answer["setting"] as? String == "--address-write-rate", "\(answer.text)")
    }
  }
}
