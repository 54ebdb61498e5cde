import Basics
import TestSeeds
import Testing

@testable import SFU

@Suite("Address table", .tellsSeeds)
struct AddressTableTests {
  @Test("an address table equals a dictionary over insertions, removals, full clusters")
  func model() {
    for seed in 1...5 as ClosedRange<UInt64> {
      var random = SeededGenerator(TestSeed.of(seed))
      var table = AddressTable(seed: seed)
      var model: [TransportAddress: Int] = [:]
      for step in 0..<4_000 {
        let address = TransportAddress(
          ip: IPAddress(v4: 0x0A00_0000 | UInt32.random(in: 0..<20, using: &random)),
          port: UInt16.random(in: 1..<20, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1, 2:
          table.set(step, for: address, handle: 1)
          model[address] = step
        case 3:
          if let value = model[address] { table.remove(address, handle: 1, value: value) }
          model[address] = nil
        default:
          // Somebody else's entry stays.
          table.remove(address, handle: 1, value: -5)
        }
        #expect(table.find(address, handle: 1) == model[address])
        #expect(table.find(address, handle: 2) == nil)
        #expect(table.count == model.count)
      }
      for (address, value) in model { #expect(table.find(address, handle: 1) == value) }
    }
  }

  @Test("removing a connection removes all of its paths")
  func removeAll() {
    var table = AddressTable(seed: 9)
    for port in 1...100 as ClosedRange<UInt16> {
      table.set(Int(port) % 3, for: TransportAddress(ip: IPAddress(v4: 1), port: port), handle: 0)
    }
    table.removeAll(of: 1)
    for port in 1...100 as ClosedRange<UInt16> {
      let value = Int(port) % 3
      let found = table.find(TransportAddress(ip: IPAddress(v4: 1), port: port), handle: 0)
      #expect(found == (value == 1 ? nil : value))
    }
  }
}
