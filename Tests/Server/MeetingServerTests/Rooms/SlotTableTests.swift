import SFU
import Testing

@testable import MeetingServer

@Suite("Slots of a receiver")
struct SlotTableTests {
  private func video(_ name: String) -> SlotTable.Candidate {
    .init(publication: "t_" + name, participant: "p_" + name, kind: .video)
  }
  private func audio(_ name: String) -> SlotTable.Candidate {
    .init(publication: "a_" + name, participant: "p_" + name, kind: .audio)
  }

  @Test("each publication goes into one free slot of its kind, the rest wait")
  func fills() {
    var table = SlotTable()
    table.replace(with: [.init(mid: "0", kind: .audio), .init(mid: "1", kind: .video), .init(mid: "2", kind: .video)])
    let changes = table.fill(with: [video("a"), audio("a"), video("b"), video("c")])
    #expect(
      changes == [
        .init(mid: "0", publication: "a_a"), .init(mid: "1", publication: "t_a"), .init(mid: "2", publication: "t_b"),
      ])
    #expect(table.info.map(\.participant) == ["p_a", "p_a", "p_b"])
    #expect(table.fill(with: [video("a"), audio("a"), video("b"), video("c")]).isEmpty)
  }

  @Test("with more speakers than slots, slots follow the loudest and carry what they say")
  func loudest() {
    var table = SlotTable()
    table.replace(with: [.init(mid: "0", kind: .audio), .init(mid: "1", kind: .audio)])
    #expect(table.fill(with: [audio("a")]) == [.init(mid: "0", publication: "a_a")])
    let following = [
      SlotChange(mid: "0", publication: nil, followsLoudest: true),
      SlotChange(mid: "1", publication: nil, followsLoudest: true),
    ]
    #expect(table.fill(with: [audio("a"), audio("b"), audio("c")]) == following)
    #expect(table.fill(with: [audio("c"), audio("b"), audio("a")]).isEmpty)
    let changed = table.carry(audio("c"), in: "0")
    let unchanged = table.carry(audio("c"), in: "0")
    #expect(changed && !unchanged)
    #expect(table.info.map(\.publication) == ["a_c", nil])
    // A carried participant leaves: the slot is empty and follows on.
    #expect(
      table.fill(with: [audio("a"), audio("b"), audio("d")])
        == [SlotChange(mid: "0", publication: nil, followsLoudest: true)])
    #expect(table.info.map(\.publication) == [nil, nil])
    let again = table.carry(audio("b"), in: "1")
    #expect(again)
    // As many slots as voices: the room decides again, and what is heard stays where it is.
    #expect(
      table.fill(with: [audio("a"), audio("b")])
        == [.init(mid: "0", publication: "a_a"), .init(mid: "1", publication: "a_b")])
    let late = table.carry(audio("a"), in: "1")
    #expect(!late, "a report from before changed a slot that the room decides about")
    #expect(table.fill(with: [audio("a"), audio("b")]).isEmpty)
  }

  @Test("a wanted publication keeps its slot; one that is gone makes room for the next")
  func stable() {
    var table = SlotTable()
    table.replace(with: (0..<3).map { .init(mid: "\($0)", kind: .video) })
    _ = table.fill(with: [video("a"), video("b"), video("c")])
    #expect(table.fill(with: [video("d"), video("c"), video("a")]) == [.init(mid: "1", publication: "t_d")])
    #expect(table.fill(with: [video("c")]) == [.init(mid: "0", publication: nil), .init(mid: "1", publication: nil)])
    #expect(table.info.map(\.publication) == [nil, nil, "t_c"])
  }

  @Test("a participant's video goes into the slot numbered as that of their audio")
  func sideBySide() {
    var table = SlotTable()
    table.replace(with: (0..<6).map { .init(mid: "\($0)", kind: $0 < 3 ? .audio : .video) })
    _ = table.fill(with: [audio("a"), audio("b"), audio("c")])
    // Their cameras come on in another order.
    #expect(
      table.fill(with: [audio("a"), audio("b"), audio("c"), video("c")]) == [.init(mid: "5", publication: "t_c")])
    let all = [audio("a"), audio("b"), audio("c"), video("c"), video("b"), video("a")]
    #expect(table.fill(with: all) == [.init(mid: "3", publication: "t_a"), .init(mid: "4", publication: "t_b")])
    #expect(table.info.map(\.participant) == ["p_a", "p_b", "p_c", "p_a", "p_b", "p_c"])
  }

  @Test("a new negotiation keeps what its slots carry and fills the new ones")
  func renegotiation() {
    var table = SlotTable()
    table.replace(with: [.init(mid: "1", kind: .video)])
    _ = table.fill(with: [video("a"), video("b")])
    table.replace(with: [.init(mid: "1", kind: .video), .init(mid: "5", kind: .video)])
    #expect(table.fill(with: [video("a"), video("b")]) == [.init(mid: "5", publication: "t_b")])
  }

  @Test("a publication a receiver can't decode isn't tried again before its next offer")
  func refused() {
    var table = SlotTable()
    table.replace(with: [.init(mid: "1", kind: .video)])
    _ = table.fill(with: [video("a"), video("b")])
    table.refuse(mid: "1")
    #expect(table.fill(with: [video("a"), video("b")]) == [.init(mid: "1", publication: "t_b")])
    table.replace(with: [.init(mid: "1", kind: .video), .init(mid: "2", kind: .video)])
    #expect(table.fill(with: [video("a"), video("b")]) == [.init(mid: "2", publication: "t_a")])
  }
}
