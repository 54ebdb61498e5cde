import Foundation
import Meetings
import TestSeeds
import TestTenants
import Testing

@testable import MeetingServer

@Suite("A room as a state machine", .tellsSeeds)
struct RandomRoomTests {
  /// Commands of all runs together, and the most of one. `ROOM_COMMANDS` takes the place of the first.
  private static let commands =
    ProcessInfo.processInfo.environment["ROOM_COMMANDS"].flatMap { Int($0) } ?? 1_000_000
  private static let commandsOfRun = 250

  @Test("random rooms keep every invariant for clients, hosts and the journal")
  func randomRooms() throws {
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    var (commands, seed) = (0, TestSeed.chosen ?? 0)
    var counts = RequestCounts()
    repeat {
      if TestSeed.chosen == nil { seed += 1 }
      let room = try run(seed, tenant)
      commands += room.commands
      counts.merge(room.counts)
      guard let problem = room.problem else { continue }
      _ = TestSeed.of(seed)
      // The same run again, with words.
      let again = try run(seed, tenant, isTraced: true)
      Issue.record("\(problem)\n\(again.trace.suffix(40).joined(separator: "\n"))")
      return
    } while TestSeed.chosen == nil && commands < Self.commands
    // Every kind of request was carried out, and refused.
    if TestSeed.chosen == nil { #expect(counts.missing == []) }
  }

  private func run(_ seed: UInt64, _ tenant: Tenant, isTraced: Bool = false) throws -> RoomSimulation {
    let room = try RoomSimulation(seed: seed, tenant: tenant, isTraced: isTraced)
    while room.commands < Self.commandsOfRun, room.problem == nil, !room.machine.isClosed { room.step() }
    room.finish()
    return room
  }

  @Test("a simulation with the same seed runs the same way")
  func sameRun() throws {
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    func trace() throws -> [String] {
      let room = try RoomSimulation(seed: 7, tenant: tenant, isTraced: true)
      for _ in 0..<200 { room.step() }
      return room.trace
    }
    #expect(try trace() == trace())
  }
}
