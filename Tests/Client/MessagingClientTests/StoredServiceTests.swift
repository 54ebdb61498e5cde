import Basics
import Foundation
import Messaging
import TestSeeds
import Testing

@testable import MessagingClient

/// Several endpoints and the server's own logic, with losses at random.
@Suite(.tellsSeeds) struct StoredServiceTests {
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private func connect(_ service: StoredService, _ user: String, _ instance: UInt64) async throws -> TestEndpoint {
    let endpoint = TestEndpoint(service, instance: instance)
    endpoint.start()
    endpoint.give(user)
    try await service.settle()
    return endpoint
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `whatever is lost on the way, all endpoints come to the same messages, each once`(seed: UInt64) async throws {
    var random = Numbers(state: TestSeed.of(seed))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("messaging-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let service = try await StoredService.make(folder: folder.path)
    var endpoints: [TestEndpoint] = []
    for (index, user) in ["ann", "bob", "cyd"].enumerated() {
      let endpoint = try await connect(service, user, UInt64(index) + 1)
      endpoint.machine.profileKeysSynced(now: service.now, time: service.time)
      try await service.settle()
      try #require(endpoint.state == .success)
      endpoints.append(endpoint)
    }
    // A second endpoint of the first identity.
    guard case .profileKeys(let keys) = try endpoints[0].perform(.exportProfileKeys) else {
      throw MessengerError.failed
    }
    let tablet = try await connect(service, "ann", 4)
    try tablet.perform(.importProfileKeys(keys))
    try await service.settle()
    endpoints.append(tablet)
    let draft = ChatDraft(
      invitees: [endpoints[1].regId, endpoints[2].regId], isOneToOne: false, subject: "all of us", cookie: "c")
    endpoints[0].submit(.startChat(draft))
    try await service.settle()
    let chat = try #require(endpoints[2].machine.chats.keys.first)

    var texts: Set<String> = []
    for step in 0..<120 {
      let endpoint = endpoints[Int.random(in: 0..<4, using: &random)]
      switch Int.random(in: 0..<12, using: &random) {
      case 0: endpoint.lose()
      case 1:
        endpoint.isOnline = false
        endpoint.lose()
      case 2: endpoint.isOnline = true
      case 3: endpoint.restart(instance: UInt64(100 + step))
      case 4:
        let lost = Int.random(in: 0..<3, using: &random)
        service.losesAnswer = { request in
          switch request {
          case .messageSend: lost == 0
          case .messagesDelivered, .messagesRead: lost == 1
          default: false
          }
        }
      case 5: try await service.pass(seconds: Int64.random(in: 1...5, using: &random))
      case 6:
        if let last = endpoint.machine.chats[chat]?.info.lastMessage { endpoint.submit(.markRead(chat, last)) }
      default:
        texts.insert("text \(step)")
        endpoint.submit(
          .send(MessageContent(tag: "Text", text: "text \(step)"), chat, cookie: "cookie \(step)"))
      }
      if Bool.random(using: &random) { try await service.settle() }
      service.losesAnswer = { _ in false }
    }
    for endpoint in endpoints { endpoint.isOnline = true }
    try await service.pass(seconds: 150)

    let all = endpoints[0].texts(chat)
    #expect(Set(all) == texts && all.count == texts.count)
    for endpoint in endpoints {
      #expect(endpoint.texts(chat) == all && endpoint.machine.outbox.isEmpty)
      #expect(endpoint.warnings.isEmpty && endpoint.machine.chats[chat]?.inbox.isEmpty == true)
    }
  }
}
