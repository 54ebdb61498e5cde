import Basics
import Testing

@testable import SFU

@Suite("Meeting placement")
struct MeetingPlacementTests {
  private func meeting(_ name: String) -> MeetingID { MeetingID(rawValue: name) }

  @Test("a small meeting stays on one worker, and a larger one takes them one by one")
  func spreading() {
    var placement = MeetingPlacement(workers: 3, spread: 4)
    var places: [MeetingPlacement.Place] = []
    for _ in 0..<12 { places.append(placement.place(in: meeting("m"), utilization: [0, 0, 0])) }
    #expect(Set(places[0..<4].map(\.worker)).count == 1)
    #expect(Set(places[4..<8].map(\.worker)).count == 1)
    #expect(
      places.map(\.isNew) == [true] + [false, false, false] + [true] + [false, false, false] + [true] + [
        false, false, false,
      ])
    #expect(placement.loads == [4, 4, 4])
    // No worker is left to be taken: evenly from here on.
    for _ in 0..<30 { #expect(!placement.place(in: meeting("m"), utilization: [0, 0, 0]).isNew) }
    #expect(placement.loads == [14, 14, 14])
  }

  @Test("a worker over 60 % gets nobody new while another one has room")
  func busy() {
    var placement = MeetingPlacement(workers: 2, spread: 16)
    let home = placement.place(in: meeting("m"), utilization: [0.1, 0.1]).worker
    var utilization = [0.1, 0.1]
    utilization[home] = 0.7
    let next = placement.place(in: meeting("m"), utilization: utilization)
    #expect(next.worker != home && next.isNew)
    // All are busy: the one with the fewest, and no relay for nothing.
    #expect(!placement.place(in: meeting("m"), utilization: [0.9, 0.9]).isNew)
    #expect(placement.place(in: meeting("n"), utilization: utilization).worker != home)
  }

  @Test("meetings go to the emptiest worker, and places given back count no more")
  func leaving() {
    var placement = MeetingPlacement(workers: 2, spread: 16)
    for name in ["a", "b", "c", "d"] { _ = placement.place(in: meeting(name), utilization: [0, 0]) }
    #expect(placement.loads == [2, 2])
    let first = placement.workers(of: meeting("a"))[0]
    placement.leave(meeting("a"), worker: first)
    placement.leave(meeting("a"), worker: first)
    #expect(placement.loads.reduce(0, +) == 3)
    #expect(placement.place(in: meeting("e"), utilization: [0, 0]).worker == first)
    placement.close(meeting("b"))
    placement.close(meeting("b"))
    #expect(placement.loads.reduce(0, +) == 3)
    #expect(placement.workers(of: meeting("b")).isEmpty)
  }
}
