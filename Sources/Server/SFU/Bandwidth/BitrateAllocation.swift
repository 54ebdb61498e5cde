import Basics

/// Divides what a receiver's path takes over its video subscriptions.
///
/// In order of priority each gets its lowest layer, so that everybody is seen before anybody is seen well. The rest of
/// the budget raises them in the same order; those of one kind take turns, step by step. A layer that is forwarded
/// already may use the whole budget; a new one must leave ``reserve`` of it free, so that a decision does not fall at
/// the next small change.
///
/// A pure function over arrays that the caller keeps, so that it allocates nothing. Cost: about the number of steps
/// over all requests.
struct BitrateAllocation: Sendable {
  struct Request: Sendable, Hashable {
    /// How important it is.
    var priority: SubscriptionPriority
    /// Its options among all, cheapest first.
    var options: Range<Int>
    /// The option forwarded now (an index among all); nil for none.
    var current: Int?
    /// Whether more than now may be forwarded, should it be forwarded now.
    var mayRaise: Bool
    /// Whether more frames of the smallest size than now may be forwarded: they need no keyframe, and cost little.
    var mayRefine = false
    /// Whether its lowest layer may be forwarded, should it not be forwarded now.
    var mayReturn = true
    /// Whether its lowest layer may be given up now, should it be forwarded.
    var mayPause = true
    /// Whether there was too little for its lowest layer.
    var isShort = false
    /// The result: an index among all options; nil for a pause.
    var result: Int?

    init(priority: SubscriptionPriority, options: Range<Int>, current: Int?, mayRaise: Bool = true) {
      self.priority = priority
      self.options = options
      self.current = current
      self.mayRaise = mayRaise
    }
  }

  /// The budget, without audio and retransmissions.
  var budget: DataRate
  /// The share of the budget that a raise must leave, 0 to 1.
  var reserve: Double
  /// Whether something may be paused. While little is known of the path, the lowest layers are sent whatever the budget
  /// says.
  var mayPause: Bool
  /// Whether the most important one is never paused. A receiver whose own estimate is all there is estimates what
  /// arrives: without video it would say for ever that there is room for none.
  var keepsFirst: Bool

  /// A division of `budget`.
  init(budget: DataRate, reserve: Double = 0.12, mayPause: Bool = true, keepsFirst: Bool = false) {
    self.keepsFirst = keepsFirst
    self.budget = budget
    self.reserve = reserve
    self.mayPause = mayPause
  }

  /// Sets the result of each request, sorts them by priority, and returns what all of it takes.
  @discardableResult
  func allocate(_ requests: inout ContiguousArray<Request>, _ options: ContiguousArray<LayerOption>) -> DataRate {
    sort(&requests)
    var left = budget.bitsPerSecond
    let kept = Int64(Double(max(budget.bitsPerSecond, 0)) * min(max(reserve, 0), 1))
    var admitted: Int64 = 0
    for index in requests.indices {
      requests[index].result = nil
      guard let first = requests[index].options.first, options.indices.contains(first) else { continue }
      let cost = options[first].rate.bitsPerSecond
      let isNew = requests[index].current == nil
      let fits = cost <= left &- (isNew ? kept : 0)
      requests[index].isShort = !fits
      // A layer that would fit without a more important one that comes in now makes room for it at once: with both the
      // path would be overfull.
      let isDisplaced = !isNew && !fits && cost <= left &+ admitted
      if mayPause, requests[index].mayPause || isNew || isDisplaced, !keepsFirst || index > requests.startIndex {
        guard fits, !isNew || requests[index].mayReturn else { continue }
      }
      requests[index].result = first
      left &-= cost
      if isNew { admitted &+= cost }
    }
    var start = 0
    while start < requests.count {
      var end = start &+ 1
      while end < requests.count, requests[end].priority.kind == requests[start].priority.kind { end &+= 1 }
      while raiseOnce(start..<end, &requests, options, &left, kept) {}
      start = end
    }
    return DataRate(bitsPerSecond: budget.bitsPerSecond &- left)
  }

  /// One step up for each of `range` that can have it; false when nobody could.
  private func raiseOnce(
    _ range: Range<Int>, _ requests: inout ContiguousArray<Request>, _ options: ContiguousArray<LayerOption>,
    _ left: inout Int64, _ kept: Int64
  ) -> Bool {
    var raised = false
    for index in range {
      let request = requests[index]
      guard let now = request.result, now &+ 1 < request.options.upperBound, options.indices.contains(now &+ 1) else {
        continue
      }
      let step = options[now &+ 1].rate.bitsPerSecond &- options[now].rate.bitsPerSecond
      let isNew = request.current.map { now &+ 1 > $0 } ?? true
      let isRefined =
        request.mayRefine && options[now &+ 1].index.spatial == options[request.options.lowerBound].index.spatial
      guard step <= left &- (isNew ? kept : 0), !isNew || request.mayRaise || isRefined else { continue }
      requests[index].result = now &+ 1
      left &-= step
      raised = true
    }
    return raised
  }

  /// Insertion sort: few, nearly sorted, and equal ones must keep their order. Of equal ones those that are forwarded
  /// come first, so that none has to go for another that is worth the same.
  private func sort(_ requests: inout ContiguousArray<Request>) {
    var index = 1
    while index < requests.count {
      var place = index
      while place > 0, comesBefore(requests[place], requests[place &- 1]) {
        requests.swapAt(place, place &- 1)
        place &-= 1
      }
      index &+= 1
    }
  }

  private func comesBefore(_ a: Request, _ b: Request) -> Bool {
    a.priority == b.priority ? a.current != nil && b.current == nil : a.priority < b.priority
  }
}
