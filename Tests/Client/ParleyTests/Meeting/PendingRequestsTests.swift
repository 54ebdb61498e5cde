import Testing

@testable import Parley

/// Requests that wait for the server's answer, without a socket or a clock.
@MainActor @Suite struct PendingRequestsTests {
  /// The answers that came, in their order: the request, and its error if it failed.
  private final class Answers {
    struct Answer: Equatable {
      var id: Int
      var error: JoinError?
    }

    var all: [Answer] = []
  }

  private func add(_ ids: Int..., to requests: inout PendingRequests, _ answers: Answers) {
    for id in ids {
      requests.add(id) { result in
        var error: JoinError?
        if case .failure(let failure) = result { error = failure }
        answers.all.append(.init(id: id, error: error))
      }
    }
  }

  @Test("a request gets one answer, the first that comes")
  func once() {
    var requests = PendingRequests()
    let answers = Answers()
    add(1, 2, to: &requests, answers)
    requests.settle(2, .success(()))
    #expect(requests.contains(1) && !requests.contains(2))
    requests.settle(2, .failure(.cancelled))
    requests.settle(3, .success(()))
    requests.failAll(.ended)
    #expect(answers.all == [.init(id: 2), .init(id: 1, error: .ended)])
  }

  @Test("a lost socket fails each open request once, and none that comes later")
  func loss() {
    var requests = PendingRequests()
    let answers = Answers()
    add(1, 2, 3, to: &requests, answers)
    requests.settle(1, .failure(.cancelled))
    requests.failAll(.ended)
    add(4, to: &requests, answers)
    requests.settle(2, .success(()))
    #expect(answers.all.first == .init(id: 1, error: .cancelled))
    #expect(Set(answers.all.map(\.id)) == [1, 2, 3] && answers.all.count == 3)
    #expect(answers.all.dropFirst().allSatisfy { $0.error == .ended } && requests.contains(4))
    requests.settle(4, .success(()))
    #expect(answers.all.last == .init(id: 4))
  }

  @Test("the track of an unmuting is known until its request ends")
  func unmuting() {
    var requests = PendingRequests()
    let answers = Answers()
    let publication = LocalPublication(
      source: .microphone, publisher: SilentPublisher(.audio), isMuted: false, owner: LocalParticipant(name: "Ann"))
    add(1, 2, to: &requests, answers)
    requests.addUnmuting(1, of: publication)
    requests.addUnmuting(2, of: publication)
    #expect(requests.unmuting(1) === publication && requests.unmuting(3) == nil)
    requests.settle(1, .success(()))
    #expect(requests.unmuting(1) == nil && requests.unmuting(2) === publication)
    requests.failAll(.ended)
    #expect(requests.unmuting(2) == nil)
  }
}
