import Testing

@testable import Transport

@Suite struct AddressFailuresTests {
  @Test("of several addresses the first that is more than unreachable is told")
  func told() {
    let (hungUp, late) = (TransportError.connectionFailed("it hung up"), TransportError.timedOut("Opening"))
    func told(_ failures: [TransportError]) -> TransportError? {
      var all = AddressFailures()
      for failure in failures { all.add(failure) }
      return all.told
    }
    #expect(told([]) == nil)
    #expect(told([WireRequest.unreachable, WireRequest.unreachable]) == WireRequest.unreachable)
    #expect(told([hungUp, WireRequest.unreachable]) == hungUp)
    #expect(told([WireRequest.unreachable, hungUp, late]) == hungUp)
  }
}
