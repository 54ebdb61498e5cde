import Basics
import Testing

@testable import RTC

@Suite("Demultiplexing")
struct RTPDemultiplexerTests {
  private struct Section: DemultiplexedSection {
    var midText: HeaderExtensionText?
    var types: Set<UInt8>

    func accepts(_ payloadType: PayloadType) -> Bool { types.contains(payloadType.rawValue) }
  }

  private func ssrc(_ value: UInt32) -> SSRC { SSRC(rawValue: value) }

  @Test("an SSRC is bound once, and found at its place whatever the hint")
  func bindings() throws {
    var table = RTPDemultiplexer<String>(capacity: 3)
    for (value, text) in [(7, "a"), (8, "b"), (9, "c")] {
      table = try #require(table.binding(ssrc(UInt32(value)), to: text))
    }
    #expect(table.isFull && table.binding(ssrc(10), to: "d") == nil && table.count == 3)
    for hint in 0..<5 {
      #expect((7...9).map { table.index(of: ssrc($0), hint: hint) } == [0, 1, 2])
      #expect(table.index(of: ssrc(10), hint: hint) == nil)
    }
    let released = table.releasing { ssrc, text in ssrc.rawValue == 7 || text == "c" }
    #expect(released.bindings == ["b"] && released.index(of: ssrc(8)) == 0 && released.index(of: ssrc(7)) == nil)
    #expect(released.binding(ssrc(8), to: "e") == nil)
    #expect(released.binding(ssrc(7), to: "e")?.bindings == ["b", "e"])
    #expect(table.count == 3, "a change gives a new value")
  }

  @Test("a MID names its section; without it the payload type must do (RFC 9143 9.2)")
  func sections() throws {
    let sections = [
      Section(midText: HeaderExtensionText("0"), types: [96, 111]),
      Section(midText: HeaderExtensionText("1"), types: [96]),
    ]
    func section(_ mid: String?, _ type: UInt8) throws -> Int? {
      RTPDemultiplexer<Int>.section(
        of: try mid.map { try #require(HeaderExtensionText($0)) }, PayloadType(rawValue: type), among: sections)
    }
    #expect(try section("1", 96) == 1)
    #expect(try section("1", 111) == 1, "whether the type fits is asked of the section")
    #expect(try section("2", 96) == nil)
    #expect(try section(nil, 111) == 0)
    #expect(try section(nil, 96) == nil && section(nil, 97) == nil)
  }

  @Test("a retransmission names its stream by its repaired RID, if any (RFC 8852)")
  func layers() {
    let (low, high) = (HeaderExtensionText("l"), HeaderExtensionText("h"))
    let named = RTPDemultiplexer<Int>.Identification(rid: low, repairedRID: high)
    #expect(named.rid(isRetransmission: false) == low && named.rid(isRetransmission: true) == high)
    let only = RTPDemultiplexer<Int>.Identification(rid: low)
    #expect(only.rid(isRetransmission: true) == low)
  }
}
