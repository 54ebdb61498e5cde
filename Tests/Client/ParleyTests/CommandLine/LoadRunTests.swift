import Basics
import Testing

@testable import ParleyCLI

@Suite struct LoadRunTests {
  @Test("each reason of failed joins is told once with its count, most frequent first")
  @MainActor func reasons() {
    let found = LoadRun.reasons(["full", "late", "full", "away", "full", "late", "busy"])
    #expect(found.map(\.reason) == ["full", "late", "away", "busy"])
    #expect(found.map(\.count) == [3, 2, 1, 1])
    #expect(LoadRun.reasons([]).isEmpty)
  }

  @Test("A rate is words for people and numbers for programs")
  func rates() {
    let rate = LoadRate(
      seconds: 2, packets: 990, lost: 10, bits: 5_100_000, frames: 100, freezes: 1, sent: 7, cpu: 0.5)
    #expect(
      rate.words == "received 495 packets/s, 2.6 Mb/s, 50 frames/s, lost 1.0 %, 1 freeze, own CPU 25 %", "\(rate.words)"
    )
    #expect(rate.line.text.contains("\"packetsPerSecond\":495.0"))
    #expect(rate.line.text.contains("\"lossPercent\":1.0"))
  }

  @Test("a run that couldn't keep up says so, and counts none of its loss as the server's")
  func ownLimit() throws {
    var rate = LoadRate(seconds: 10, packets: 9_900, lost: 100, bits: 1e6, frames: 100, cpu: 8)
    rate.mediaThread = try #require(MediaThreadTime(schedstat: "8000000000 900000000 4711\n"))
    #expect(rate.ownLimit == nil)
    #expect(rate.line.text.contains("\"ownLimit\":null") && rate.line.text.contains("\"serverLossPercent\":1.0"))

    rate.mediaThread = try #require(MediaThreadTime(schedstat: "8000000000 1000000000 4711\n"))
    let busy = try #require(rate.ownLimit)
    #expect(busy.contains("busy for 80 % of the time, and waited for a processor for 10 %"), "\(busy)")

    rate.mediaThread = MediaThreadTime()
    rate.unread = 75
    let unread = try #require(rate.ownLimit)
    #expect(unread.contains("did not read 75 packets in time"), "\(unread)")
    #expect(rate.line.text.contains("\"lossPercent\":1.0") && rate.line.text.contains("\"serverLossPercent\":0.25"))
    #expect(rate.words.contains("lost 1.0 % (0.3 % the server's)"), "\(rate.words)")
    rate.unread = 200
    #expect(rate.line.text.contains("\"serverLossPercent\":0.0"), "not below nothing")
  }

  @Test("Time of a thread that the system does not tell is none", arguments: ["", "12", "a b c"])
  func oddTime(_ text: String) { #expect(MediaThreadTime(schedstat: text) == nil) }

  @Test("A track that began anew, or was given another slot, does not turn the rates back")
  func anew() {
    var before = LoadTotals()
    before.tracks = ["a x": .init(packets: 900, bytes: 9_000), "a y": .init(packets: 5, bytes: 50)]
    before.sent = 10
    var after = before
    after.time = before.time + .seconds(1)
    after.tracks = ["a x": .init(packets: 20, bytes: 200), "a z": .init(packets: 3, bytes: 30)]
    after.sent = 4
    let rate = after.rate(since: before)
    #expect(rate.packets == 23 && rate.bits == 1_840 && rate.sent == 0)
  }

  @Test("--slots takes no number that would not limit anything", arguments: ["0", "-1", "17"])
  func slots(_ text: String) throws {
    #expect(throws: CommandOptions.Problem.self) { try CommandOptions(["--slots", text], table: LoadCommand.table) }
  }
}
