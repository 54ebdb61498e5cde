import FoundationEssentials
import Meetings
import Testing

@testable import MeetingServer

@Suite("Hosts' decisions about permissions")
struct HostDecisionsTests {
  private func grant(_ role: Role, _ permissions: Permissions? = nil) -> JoinGrant {
    JoinGrant(
      form: .signed, tenant: .random(), id: .random(), target: .anyRoom, role: role, permissions: permissions,
      expires: .distantFuture)
  }

  /// Small numbers that are the same in each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64 = 42
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  @Test(
    "granting permissions gives exactly these, up to the role, whatever the token has")
  func exact() throws {
    var numbers = Numbers()
    for _ in 0..<5_000 {
      var decisions = HostDecisions()
      for _ in 0..<4 {
        let role = try #require(Role.allCases.randomElement(using: &numbers))
        let grant = grant(role, Permissions(rawValue: .random(in: 0..<128, using: &numbers)))
        let chat = ChatPolicy(writers: try #require(ChatWriters.allCases.randomElement(using: &numbers)))
        let wish = Permissions(rawValue: .random(in: 0..<128, using: &numbers))
        decisions.set(wish, of: grant, chat: chat)
        let (now, found) = decisions.rights(of: grant, chat: chat)
        #expect(now == role && found == wish.intersection(role.bound))
      }
    }
  }

  @Test("a permission a host took stays so under other tokens until a host gives it")
  func taken() throws {
    var numbers = Numbers()
    for _ in 0..<5_000 {
      var decisions = HostDecisions()
      let first = grant(.moderator)
      let left = Permissions(rawValue: .random(in: 0..<128, using: &numbers))
      decisions.set(left, of: first, chat: ChatPolicy())
      for writers in ChatWriters.allCases {
        let other = grant(try #require(Role.allCases.randomElement(using: &numbers)), .all)
        #expect(decisions.rights(of: other, chat: ChatPolicy(writers: writers)).permissions.isSubset(of: left))
      }
      decisions.set(.all, of: first, chat: ChatPolicy())
      #expect(decisions.rights(of: first, chat: ChatPolicy()).permissions == .all)
    }
  }

  @Test("a role that a host gave stays, and brings what the meeting's rules leave of it")
  func roles() {
    let hosts = ChatPolicy(writers: .hosts)
    var decisions = HostDecisions()
    let guest = grant(.publisher)
    #expect(!decisions.rights(of: guest, chat: hosts).permissions.contains(.chat))
    decisions.set(.moderator, of: guest, chat: hosts)
    #expect(decisions.rights(of: guest, chat: hosts).permissions == .all)
    #expect(decisions.rights(of: grant(.publisher), chat: hosts).role == .moderator)
    decisions.set(.publisher, of: guest, chat: hosts)
    #expect(decisions.rights(of: guest, chat: hosts).permissions == Role.publisher.permissions.subtracting(.chat))
    // Nobody took the chat from this one: when it is opened to everybody, it is theirs.
    #expect(decisions.rights(of: guest, chat: ChatPolicy()).permissions == Role.publisher.permissions)
    // And an organizer who was made a guest stays one with another token.
    decisions = HostDecisions()
    decisions.set(.publisher, of: grant(.organizer), chat: ChatPolicy())
    let (role, permissions) = decisions.rights(of: grant(.organizer), chat: ChatPolicy())
    #expect(role == .publisher && !permissions.contains(.moderate))
  }
}
