import Parley
import Testing

@testable import ParleyCLI

@MainActor @Suite struct JoinPlanTests {
  private final class Listener: JoinObserver {
    nonisolated let interval: UInt64 = 1_000_000_000
    private(set) var problems: [String] = []

    func take(_ event: MeetingEvent) {}
    func problem(_ text: String) { problems.append(text) }
    func tick() async {}
    func close() {}
  }

  @Test("a name is counted in characters, and one that is too long is refused and not cut")
  func longName() throws {
    let family = "👩‍👩‍👧"
    _ = try JoinPlan(
      CommandOptions(["http://h/r", "--name", String(repeating: family, count: 80)], table: JoinCommand.table))
    #expect {
      try JoinPlan(
        CommandOptions(["http://h/r", "--name", String(repeating: "a", count: 81)], table: JoinCommand.table))
    } throws: { "\($0)".contains("at most 80 characters. This one has 81") }
  }

  @Test("decoders are read from a list in any case, and a word that is none is refused")
  func decoders() throws {
    func decoders(_ list: String) throws -> [Codec]? {
      try JoinPlan(CommandOptions(["http://h/r", "--decoders", list], table: JoinCommand.table)).decoders
    }
    #expect(try decoders("h264, VP8") == [.h264, .vp8])
    for wrong in ["", ",", "opus", "VP8,rtx", "VP8,H265"] {
      #expect(throws: CommandOptions.Problem.self, "\(wrong)") { try decoders(wrong) }
    }
  }

  @Test(
    "a microphone that can't be cleaned is sent as it is, with reason and remedy told",
    arguments: [false, true])
  func uncleanedMicrophone(withSpeaker: Bool) async throws {
    let arguments = ["http://h/r", "--microphone"] + (withSpeaker ? ["--speaker"] : [])
    let options = try CommandOptions(arguments, table: JoinCommand.table)
    var wanted: AudioProcessor.Configuration?
    let plan = try JoinPlan(options) { configuration throws(MediaError) -> AudioProcessor in
      wanted = configuration
      throw .invalid("There is no engine.")
    }
    #expect(plan.microphone && plan.processor == nil)
    #expect(wanted?.echoCancellation == withSpeaker)
    let listener = Listener()
    // Without any microphone, publishing one fails, and the error says so.
    try? await plan.publish(nil, to: Meeting("http://127.0.0.1:1/r", name: "Ann"), telling: listener)
    let text = try #require(listener.problems.first, "nothing was said")
    #expect(listener.problems.count == 1)
    #expect(text.contains("microphone is sent as it is") && text.contains("There is no engine."), "\(text)")
    #expect(text.contains("headphones") == withSpeaker, "\(text)")
  }

  @Test("a microphone that is cleaned, and a plan without one, say nothing", arguments: [true, false])
  func nothingToSay(microphone: Bool) async throws {
    let options = try CommandOptions(["http://h/r"] + (microphone ? ["--microphone"] : []), table: JoinCommand.table)
    let plan = try JoinPlan(options)
    #expect((plan.processor != nil) == microphone)
    #expect(plan.processorProblem == nil)
  }
}
