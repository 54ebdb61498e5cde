import Testing

@testable import ParleyCLI

@Suite("SIGHUP of a server") struct ReloadSignalTests {
  @Test("SIGHUP reloads, and ends a program whose terminal is gone unless it outlives it")
  func request() {
    func asked(_ had: Bool, _ has: Bool, nohup: Bool = false) -> ReloadSignal.Request {
      ReloadSignal.request(hadTerminal: had, hasTerminal: has, outlivesTerminal: nohup)
    }
    #expect(asked(false, false) == .reload)
    #expect(asked(true, true) == .reload)
    #expect(asked(true, false) == .end)
    #expect(asked(true, false, nohup: true) == .reload)
  }
}
