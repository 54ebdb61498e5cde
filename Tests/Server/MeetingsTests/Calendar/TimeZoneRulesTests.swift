import Foundation
import Testing

@testable import Meetings

@Suite("Time zones")
struct TimeZoneRulesTests {
  @Test(
    "every hour of 2020 to 2045 is told as the platform's own library tells it",
    arguments: [
      "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
      "Asia/Jerusalem", "Pacific/Apia", "America/Sao_Paulo", "Europe/Dublin", "Antarctica/Troll", "UTC",
    ])
  func offsets(_ name: String) throws {
    let rules = try TimeZoneRules(name)
    let oracle = try #require(TimeZone(identifier: name))
    // Prime, so that other minutes come up all the time.
    for time in stride(from: 1_577_836_800, to: 2_366_841_600, by: 86_399) {
      let expected = oracle.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))
      #expect(rules.kind(at: time).offset == expected, "\(time)")
      if rules.kind(at: time).offset != expected { return }
    }
  }

  @Test("cut or damaged files, or no time zones, are refused and never read past the end")
  func damaged() throws {
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: TimeZoneRules.folder + "/Europe/Berlin")))
    #expect(TimeZoneRules("x", file: file) != nil)
    for count in 0..<min(file.count, 1_200) { _ = TimeZoneRules("x", file: Array(file.prefix(count))) }
    for place in 0..<min(file.count, 1_200) {
      for byte in [0x00, 0x7F, 0xFF] as [UInt8] {
        var copy = file
        copy[place] = byte
        _ = TimeZoneRules("x", file: copy)
      }
    }
    #expect(TimeZoneRules("x", file: Array("TZif but nothing of the kind follows these words at all".utf8)) == nil)
  }

  @Test("a file's final rule is understood in all its forms, and nonsense is not")
  func footers() throws {
    let berlin = try #require(PosixZone("CET-1CEST,M3.5.0,M10.5.0/3"))
    #expect(berlin.standard.offset == 3_600 && berlin.daylight?.kind.offset == 7_200)
    #expect(berlin.transitions(in: 2026).map(\.time) == [1_774_746_000, 1_792_890_000])
    #expect(PosixZone("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1")?.standard.offset == -10_800)
    #expect(PosixZone("EET-2EEST,J60/0,300/25:30:15") != nil && PosixZone("<+0530>-5:30")?.standard.offset == 19_800)
    for text in [
      "", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M1.1.1", "<CET-1", "1CET", "CET-1x,M3.5.0,M4.5.0",
    ] {
      #expect(PosixZone(text) == nil, "\(text)")
    }
  }
}
