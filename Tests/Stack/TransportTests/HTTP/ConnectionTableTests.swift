import Basics
import Testing

@testable import Transport

@Suite("Which connections give way")
struct ConnectionTableTests {
  private func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test("the lowest stage gives way first, its oldest; used and proven ones don't")
  func stages() {
    var table = ConnectionTable(capacity: 6, reserve: 0, hostLimit: nil)
    let stages: [ConnectionTable.Stage] = [.proven, .handling, .transferring, .opened, .idle, .silent]
    for (index, stage) in stages.enumerated() {
      #expect(table.admit(UInt(index), from: nil) == .admitted(evicted: nil))
      table.advance(UInt(index), to: stage)
    }
    for (number, evicted) in [5, 4, 3, 2].enumerated() {
      let id = UInt(10 + number)
      #expect(table.admit(id, from: nil) == .admitted(evicted: UInt(evicted)))
      table.advance(id, to: .proven)
    }
    #expect(table.admit(20, from: nil) == .refused(isNetwork: false))
    // A connection that idles again is the newest of those.
    table.advance(1, to: .idle)
    table.advance(10, to: .idle)
    #expect(table.admit(21, from: nil) == .admitted(evicted: 1))
    #expect(table.count == 6)
  }

  // Those of others stay.
  @Test("threat 38: a network's silent connections give way to its own new ones")
  func ownNetwork() throws {
    var table = ConnectionTable(capacity: 100, reserve: 0, hostLimit: 3)
    let (here, there) = (try ip("192.0.2.1"), try ip("198.51.100.1"))
    _ = table.admit(1, from: there)
    for id in UInt(2)...4 { #expect(table.admit(id, from: here) == .admitted(evicted: nil)) }
    #expect(table.admit(5, from: here) == .admitted(evicted: 2))
    for id in UInt(3)...5 { table.advance(id, to: .handling) }
    #expect(table.admit(6, from: here) == .refused(isNetwork: true))
    #expect(table.admit(7, from: there) == .admitted(evicted: nil))
  }

  // It leaves the reserve to the next.
  @Test("threat 38: a returning connection has the reserve until there is room")
  func reserve() throws {
    var table = ConnectionTable(capacity: 10, reserve: 2, hostLimit: nil)
    for id in UInt(0)..<8 {
      _ = table.admit(id, from: nil)
      table.advance(id, to: .proven)
    }
    #expect(table.admit(8, from: nil) == .reserved(evicted: nil, isNetwork: false))
    #expect(table.admit(9, from: nil) == .reserved(evicted: nil, isNetwork: false))
    #expect(table.admit(10, from: nil) == .reserved(evicted: 8, isNetwork: false))
    table.advance(10, to: .proven)
    #expect(table.admit(11, from: nil) == .reserved(evicted: 9, isNetwork: false))
    table.advance(11, to: .proven)
    #expect(table.admit(12, from: nil) == .refused(isNetwork: false))
    table.remove(0)
    #expect(table.admit(13, from: nil) == .reserved(evicted: nil, isNetwork: false))
    table.remove(10)
    table.remove(13)
    #expect(table.count == 8)
    #expect(table.admit(14, from: nil) == .reserved(evicted: nil, isNetwork: false))
  }
}
