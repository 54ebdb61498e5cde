import Basics
import Foundation
import Meetings
import Signaling
import Synchronization
import TestTenants
import Testing

@testable import MeetingServer

/// Changes between the check of somebody's token and their admission to the room, one step after the other by hooks
/// instead of by luck.
@Suite("Meetings that are changed while somebody comes in")
struct EntryRaceTests {
  /// The change in between, which decides the result of joining.
  enum Change: String, CaseIterable, Sendable {
    case nothing, passcode, accessLevel, waitForHost, end, removal, ban, revocation

    /// A part of the first message that the client gets.
    var answer: String {
      switch self {
      case .nothing: #""type":"welcome""#
      case .passcode: #""code":"passcodeRequired""#
      case .accessLevel: #""reason":"lobby""#
      case .waitForHost: #""reason":"host""#
      case .end: #""code":"meetingExpired""#
      case .removal: #""code":"noSuchMeeting""#
      case .ban: #""code":"banned""#
      case .revocation: #""code":"badToken""#
      }
    }
  }

  /// When it is changed.
  enum Moment: Sendable {
    /// By another process, after the token was checked.
    case beforeTheLook
    /// By this one, after the room has looked: the room is notified.
    case afterTheLook
  }

  @Test("threat 25: what is changed after a token was checked holds for who came with it", arguments: Change.allCases)
  func another(change: Change) async throws { try await enter(.beforeTheLook, change) }

  @Test(
    "threat 25: what is changed while a room is made holds for who it is made for",
    arguments: [Change.nothing, .passcode, .accessLevel, .waitForHost, .end])
  func same(change: Change) async throws { try await enter(.afterTheLook, change) }

  private func enter(_ moment: Moment, _ change: Change) async throws {
    let folder = NSTemporaryDirectory() + "parley-race-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await TestTenants.makeDefault(in: folder)
    let store = try await MeetingStores.open(folder: folder)
    let other = try await MeetingStores.open(folder: folder)
    let tenant = try await store.defaultTenant(now: Date())
    let meeting = MeetingRecord(
      tenant: tenant.id, room: try RoomName("board"), kind: .named, subject: "Secret plans", created: Date())
    try await store.transaction { try $0.insert(meeting) }
    let authority = JoinAuthority(store: store)
    let token = JoinToken(
      tenant: tenant.id, target: .meeting(meeting.id), role: .publisher, isGuest: true, notBefore: Date(),
      expires: Date() + 3_600)
    let signed = try authority.sign(token, tenant: tenant).value
    let passcode = try PasscodeHash(Secret("1234"))
    let directory = Box<MeetingDirectory?>(nil)
    let problems = Box<[String]>([])

    @Sendable func make() async {
      do {
        let changed = try await other.transaction {
          try $0.change(meeting.id) { meeting in
            switch change {
            case .passcode: meeting.passcode = passcode
            case .accessLevel: meeting.accessLevel = .locked
            case .waitForHost: meeting.lobby.waitsForHost = true
            case .end: meeting.expires = Date() - 1
            case .nothing, .removal, .ban, .revocation: break
            }
          }
        }
        switch change {
        case .removal: _ = try await other.transaction { try $0.removeMeeting(meeting.id) }
        case .ban:
          let (grant, _) = try await authority.inspect(token: Secret(signed), now: Date())
          try await JoinAuthority(store: other).ban(grant, from: meeting, now: Date())
        case .revocation: try await other.revoke(token.id, tenant: tenant.id, expires: Date() + 3_600)
        default: break
        }
        if moment == .afterTheLook, let changed { await directory.value?.changed(changed) }
      } catch {
        problems.value.append("\(error)")
      }
    }

    let media = TestMediaPlane()
    let counters = ServerCounters()
    let log = Log(level: .error) { _ in }
    let made = MeetingDirectory(
      media: media, limits: .init(), counters: counters, log: log,
      current: { admission, address throws(JoinRefusal) in
        if moment == .beforeTheLook { await make() }
        let fresh = try await authority.current(admission, address: address, now: Date())
        if moment == .afterTheLook { await make() }
        return fresh
      })
    directory.value = made
    let service = SignalingService(
      authority: authority, directory: made, store: store, counters: counters, log: log)
    let join = ClientMessage.join(.init(token: signed, name: "Eve", offer: "", tracks: []))
    let socket = OneMessageSocket(Array(try SignalingEncoder().encode(join).utf8))
    await service.serve(socket, peer: .init(origin: nil, ownOrigin: try #require(WebOrigin("http://localhost"))))
    #expect(problems.value == [])
    #expect(socket.sent.first?.contains(change.answer) == true, "\(socket.sent)")
    if change != .nothing {
      #expect(await !media.calls.contains { if case .join = $0 { true } else { false } })
      #expect(!socket.sent.contains { $0.contains("Secret plans") })
    }
    await made.shutdown()
    directory.value = nil
    for store in [store, other] { await store.close() }
  }
}

/// A value that closures share.
private final class Box<Value: Sendable>: Sendable {
  private let held: Mutex<Value>
  init(_ value: Value) { held = Mutex(value) }
  var value: Value {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
}

/// A socket that brings one message, and is gone.
private final class OneMessageSocket: SignalingSocket {
  private let frame: Mutex<[UInt8]?>
  private let lines = Mutex<[String]>([])
  init(_ frame: [UInt8]) { self.frame = Mutex(frame) }
  var sent: [String] { lines.withLock(\.self) }
  func next() async -> SignalingFrame? {
    frame.withLock { frame in
      defer { frame = nil }
      return frame.map { .text($0) }
    }
  }
  func send(_ text: String) { lines.withLock { $0.append(text) } }
  func close(code: UInt16, reason: String) {}
}
