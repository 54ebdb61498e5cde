import Signaling
import Testing

@testable import Parley

/// The values that a meeting is made of, without a server.
@MainActor @Suite struct MeetingPartsTests {
  /// The results of calls, in their order.
  private final class Results {
    var values: [Result<Void, JoinError>] = []
    var successes: Int { values.count { if case .success = $0 { true } else { false } } }
  }

  @Test("changes during an offer share the next one, and a refusal ends the wait of all")
  func negotiation() {
    var negotiation = Negotiation()
    let results = Results()
    #expect(negotiation.beginOffer() == nil)
    negotiation.request(restartsIce: true)
    let first = negotiation.beginOffer()
    negotiation.request(restartsIce: false)
    // Being made, and then on its way.
    let (during, id) = (negotiation.beginOffer(), negotiation.nextID())
    negotiation.endPreparing()
    negotiation.pending = ClientMessage.Offer(id: id, offer: "", tracks: [])
    for waiter in 1...2 { negotiation.wait(waiter) { results.values.append($0) } }
    negotiation.stopWaiting(1, .cancelled)
    let (wrong, right, isAnswered) = (
      negotiation.receiveAnswer(to: id + 1), negotiation.receiveAnswer(to: id), negotiation.isAnswered
    )
    #expect(first == true && during == nil && !wrong && right && isAnswered && negotiation.beginOffer() == nil)
    let isOver = negotiation.finish(id)
    let next = negotiation.beginOffer()
    #expect(isOver && !negotiation.isAnswered && next == false)
    let isWanted = negotiation.settle(.success(()))
    #expect(!isWanted && results.values.count == 2 && results.successes == 1 && negotiation.waiting.isEmpty)
    negotiation.wait(3) { results.values.append($0) }
    negotiation.restart()
    #expect(negotiation.isWanted && negotiation.beginOffer() == false)
  }

  @Test("each request is settled once, and a lost socket settles all")
  func requests() {
    var requests = PendingRequests()
    let results = Results()
    for id in 1...3 { requests.add(id) { results.values.append($0) } }
    requests.settle(2, .success(()))
    requests.settle(2, .failure(.ended))
    #expect(results.values.count == 1 && results.successes == 1 && requests.contains(1) && !requests.contains(2))
    requests.failAll(.ended)
    #expect(results.values.count == 3 && results.successes == 1 && !requests.contains(1))
  }

  @Test("a view is reported when it changes, and when its slot carries something else")
  func views() {
    var reports = ViewReports()
    let view = SlotView(mid: "1", width: 320, height: 180)
    var slots = [
      ViewReports.Slot(mid: "1", publication: "a", view: view), ViewReports.Slot(mid: "2", publication: "b", view: nil),
    ]
    #expect(reports.changes(in: slots) == [[view]])
    reports.add([view], of: slots)
    #expect(reports.changes(in: slots).isEmpty && !reports.isEmpty)
    // The server has forgotten it, and shows everything.
    slots[0].publication = "c"
    #expect(reports.changes(in: slots) == [[view]])
    slots[0].view = nil
    #expect(reports.changes(in: slots).first?.first?.width == 65_535)
    reports.removeAll()
    #expect(reports.changes(in: slots).isEmpty)
    let many = (0..<130).map { number in
      let mid = "\(number)"
      return ViewReports.Slot(mid: mid, publication: mid, view: SlotView(mid: mid, width: 1, height: 1))
    }
    #expect(reports.changes(in: many).map(\.count) == [64, 64, 2])
  }

  @Test("the first reader gets the newest of what nobody read, later readers what follows")
  func events() async {
    var feed = EventFeed<Int>(limit: 4)
    for event in 0..<11 { feed.emit(event) }
    let first = feed.makeStream(isOver: false) { _ in }
    let second = feed.makeStream(isOver: false) { _ in }
    feed.emit(11)
    feed.finish()
    var (atFirst, atSecond, after) = ([Int](), [Int](), [Int]())
    for await event in first { atFirst.append(event) }
    for await event in second { atSecond.append(event) }
    for await event in feed.makeStream(isOver: true, onTermination: { _ in }) { after.append(event) }
    #expect(atFirst == [8, 9, 10, 11] && atSecond == [11] && after.isEmpty)
  }
}
