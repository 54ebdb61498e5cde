import Basics
import TestSeeds
import Testing

@testable import Encryption

@Suite("Epochs that share their bits", .tellsSeeds)
struct EpochTests {
  @Test("more than 16 joins and leaves in 10 s cost those who stay no frame")
  func manyEpochs() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(12))
    let (ann, ben) = (try room.join("ann"), try room.join("ben"))
    room.run(for: .seconds(3))
    var numbers: [Int] = []
    for index in 0..<20 {
      try room.join("guest\(index)", publishes: false)
      if index > 0 { try room.leave("guest\(index - 1)") }
      for _ in 0..<8 {
        numbers.append(try room.send(from: "ann"))
        room.run(for: .milliseconds(40))
      }
    }
    room.run(for: .seconds(1))
    #expect(ann.keys.epoch ?? 0 > 20)
    #expect(numbers.allSatisfy { ben.hasOpened($0, of: ann.id) })
    #expect(ben.count(ann.id) == numbers.count && ben.keys.waitingFor.isEmpty)
  }
}
